import { DEFAULT_CONSOLE_ROUTES, defineConfig, jwtAuth } from 'agentserver'
import { expense } from '../expense.ts'

export default defineConfig({
  workflows: [expense],
  authNext: {
    provider: jwtAuth({
      jwksUri: 'https://id.example/.well-known/jwks.json',
      verifyOptions: { algorithms: ['RS256'], audience: 'expenses', issuer: 'https://id.example' },
      mapUser: ({ sub, email, roles }) => ({
        ...(sub !== undefined && { id: sub }),
        ...(typeof email === 'string' && { email }),
        role: Array.isArray(roles) && roles.includes('admin') ? 'admin' : 'employee',
      }),
    }),
    publicRoutes: ['GET /prices'],
    consoleRoutes: [...DEFAULT_CONSOLE_ROUTES, 'GET /reports/*'],
  },
  configureApp: (app) => {
    app.get('/prices', (c) => c.json({ mileage: 0.3 }))
    app.get('/reports/:year', (c) => c.json({ year: c.req.param('year') }))
    app.get('/admin', (c) =>
      c.get('user')?.role === 'admin' ? c.text('Welcome') : c.json({ error: 'Admins only' }, 403),
    )
  },
})
