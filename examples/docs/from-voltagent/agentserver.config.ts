import { defineConfig, jwtAuth } from 'agentserver'
import { approval } from './approval.ts'
import { cashier } from './cashier.ts'
import { greeter } from './greeter.ts'

// #region config
export default defineConfig({
  agents: [cashier],
  workflows: [greeter, approval],
  port: 3141,
  enableSwaggerUI: true,
  authNext: {
    provider: jwtAuth({ secret: process.env['JWT_SECRET'] }),
    publicRoutes: ['GET /prices'],
  },
  configureApp: (app) => {
    app.get('/prices', (c) => c.json({ desk: 400 }))
  },
})
// #endregion
