import { DEFAULT_CONSOLE_ROUTES, defineConfig } from 'agentserver'
import { identityProvider } from './src/identity-provider.ts'
import { addRoutes } from './src/routes.ts'
import { salesReport } from './src/workflows/sales-report.ts'

export default defineConfig({
  workflows: [salesReport],
  authNext: {
    provider: identityProvider(process.env['JWT_SECRET']),
    publicRoutes: ['GET /currencies'],
    consoleRoutes: [...DEFAULT_CONSOLE_ROUTES, 'GET /metrics/*'],
  },
  configureApp: addRoutes,
})
