import { createClient } from 'agentserver/client'
import type config from './agentserver.config.ts'

/** Starts an expense. Its id, its input and its result are typed by the configuration. */
export async function startExpense(baseUrl: string, employee: string, amount: number) {
  const client = createClient<typeof config>({ baseUrl })
  const { result } = await client.workflow('expense').execute({ employee, amount })
  return result?.paid
}
