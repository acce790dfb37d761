import { defineConfig } from 'agentserver'
import { createClient } from 'agentserver/client'
import { expense } from './src/workflows/expense.ts'
import { followUp } from './src/workflows/follow-up.ts'

const port = process.env['PORT'] ?? '3141'

/** This very server: the follow-up reads and cancels executions as any other caller would. */
const client = createClient({ baseUrl: process.env['AGENTSERVER_URL'] ?? `http://127.0.0.1:${port}` })

export default defineConfig({
  workflows: [expense, followUp(client)],
})
