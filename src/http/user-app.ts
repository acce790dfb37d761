import { Hono } from 'hono'
import { inspectRoutes } from 'hono/dev'
import type { Identity, OwnApp, ServerConfig } from '../config/config.ts'
import { OPENAI_BASE } from '../contract/endpoints/openai.ts'
import type { RouteTarget } from '../contract/route-pattern.ts'
import { AppError } from '../lib/errors.ts'
import { endpointAt } from './bind.ts'
import { canonicalPath } from './request/canonical-path.ts'

/** Header that marks a response of the user's app as "no such route". */
export const NOT_FOUND_HEADER = 'X-Agentserver-Not-Found'

/** The routes of a user's app, without its middleware. The method `ALL` means any method. */
export function customRoutes(app: Hono | undefined): RouteTarget[] {
  if (!app) return []
  const routes = inspectRoutes(app).filter(({ isMiddleware }) => !isMiddleware)
  const byName = new Map(routes.map(({ method, path }) => [`${method} ${path}`, { method, path }]))
  return [...byName.values()]
}

/** The pattern of the custom route that a request matches, if any. */
export function matchRoute(
  app: Hono,
  { method, path }: { readonly method: string; readonly path: string },
): string | undefined {
  const [matches] = app.router.match(method === 'HEAD' ? 'GET' : method, path)
  const routes = matches.map(([[, route]]) => route)
  return routes.findLast(({ handler }) => !isMiddleware(handler))?.path
}

/** Middleware takes a second argument, `next`. */
function isMiddleware(handler: (...args: never[]) => unknown): boolean {
  return handler.length > 1
}

/**
 * Creates the app of a configuration's `configureApp`. Its routes are matched after the server's endpoints.
 *
 * @throws AppError `invalid_config` when one of its routes is an endpoint of the server, and so would never be
 * reached.
 */
export async function createUserApp(config: ServerConfig): Promise<Hono | undefined> {
  const { configureApp } = config
  if (!configureApp) return undefined
  const app = new Hono<{ Bindings: Identity; Variables: Identity }>()
  app.use(async (c, next) => {
    c.set('user', c.env.user)
    c.set('identify', c.env.identify)
    await next()
  })
  app.notFound(() => new Response(null, { status: 404, headers: { [NOT_FOUND_HEADER]: '1' } }))
  app.onError((error) => {
    // Hono's HTTPException, also of another copy of Hono in the user's project
    if ('getResponse' in error) return error.getResponse()
    throw error
  })
  await configureApp(app as unknown as OwnApp)
  const conflicts = app.routes.flatMap(({ method, path }) => {
    if (path.includes('*')) return []
    const endpoint = endpointAt(method, canonicalPath(path.replaceAll(/:[^/]+/g, 'x')), config)
    return endpoint ? [`${method} ${path} is a route of agentserver (${endpoint})`] : []
  })
  if (conflicts.length === 0) return app as unknown as Hono
  throw new AppError('invalid_config', `configureApp: ${conflicts.join('; ')}`, {
    hint: conflicts.some((text) => text.includes(` ${OPENAI_BASE}/`))
      ? 'Use another path for the route, or openai: false in the configuration'
      : 'Use another path for the route',
  })
}
