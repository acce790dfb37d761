import { defineConfig } from 'agentserver'
import { createClient } from 'agentserver/client'
import { expense } from './src/workflows/expense.ts'
import { followUp } from './src/workflows/follow-up.ts'

const port = process.env['PORT'] ?? '3141'

/** A client of this server: the follow-up lists and cancels executions through the API. */
const client = createClient({ baseUrl: process.env['AGENTSERVER_URL'] ?? `http://127.0.0.1:${port}` })

export default defineConfig({
  workflows: [expense, followUp(client)],
})
