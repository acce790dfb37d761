import type { OwnApp } from 'agentserver'
import { tenants } from './services/sales.ts'

/** Custom routes. The server has checked the access class; roles are checked here. */
export function addRoutes(app: OwnApp): void {
  // public: listed in publicRoutes
  app.get('/currencies', (c) => c.json({ success: true, data: ['EUR'] }))

  // user: any valid token
  app.get('/me', (c) => c.json({ success: true, data: c.get('user') ?? null }))

  // user, and an admin
  app.use('/admin/*', async (c, next) => {
    if (c.get('user')?.role !== 'admin')
      return c.json({ success: false, error: 'Requires the role admin' }, 403)
    return next()
  })
  app.get('/admin/tenants', (c) => c.json({ success: true, data: tenants() }))

  // console: listed in consoleRoutes
  app.get('/metrics/tenants', (c) => c.json({ success: true, data: { count: tenants().length } }))
}
