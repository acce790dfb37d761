import { defineConfig } from 'agentserver'
import { createClient } from 'agentserver/client'
import { addApprovalRoutes } from './src/routes/approvals.ts'
import { invoice } from './src/workflows/invoice.ts'

const port = Number(process.env['PORT'] ?? 3141)

/** The page reads and resumes executions through this server's own API. */
const client = createClient({ baseUrl: `http://127.0.0.1:${port}` })

export default defineConfig({
  port,
  workflows: [invoice],
  configureApp: (app) => addApprovalRoutes(app, client),
})
