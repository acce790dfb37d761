import { Hono } from 'hono'
import { inspectRoutes } from 'hono/dev'
import type { User } from '../contract/auth.ts'
import type { OwnApp, ServerConfig } from '../config/config.ts'
import { AppError } from '../lib/errors.ts'
import type { RouteTarget } from '../contract/route-pattern.ts'
import { endpointAt } from './bind.ts'

/** On the answer of a user's app that has no route for the request. */
export const NOT_FOUND_HEADER = 'X-Agentserver-Not-Found'

/** The routes of a user's app, without its middleware; the method `ALL` stands for every one. */
export function ownRoutes(app: Hono | undefined): RouteTarget[] {
  if (!app) return []
  const routes = inspectRoutes(app).filter(({ isMiddleware }) => !isMiddleware)
  const byName = new Map(routes.map(({ method, path }) => [`${method} ${path}`, { method, path }]))
  return [...byName.values()]
}

/** The pattern of the route that answers a request, if one does. */
export function matchedRoute(
  app: Hono,
  { method, path }: { readonly method: string; readonly path: string },
): string | undefined {
  const [matches] = app.router.match(method === 'HEAD' ? 'GET' : method, path)
  const routes = matches.map(([[, route]]) => route)
  return routes.findLast(({ handler }) => !takesNext(handler))?.path
}

/** Middleware is what takes a second argument. */
function takesNext(handler: (...args: never[]) => unknown): boolean {
  return handler.length > 1
}

/**
 * Makes the user's own routes. They are asked after ours.
 *
 * @throws AppError `invalid_config` when one of them is a route of ours, and so would never be reached.
 */
export async function createUserApp({ configureApp }: ServerConfig): Promise<Hono | undefined> {
  if (!configureApp) return undefined
  const app = new Hono<{ Bindings: { user?: User | undefined }; Variables: { user: User | undefined } }>()
  app.use(async (c, next) => {
    c.set('user', c.env.user)
    await next()
  })
  app.notFound(() => new Response(null, { status: 404, headers: { [NOT_FOUND_HEADER]: '1' } }))
  app.onError((error) => {
    // Hono's HTTPException, of whichever copy of Hono the user has
    if ('getResponse' in error) return error.getResponse()
    throw error
  })
  await configureApp(app as unknown as OwnApp)
  const shadowed = app.routes.flatMap(({ method, path }) => {
    if (path.includes('*')) return []
    const ours = endpointAt(method, path.replaceAll(/:[^/]+/g, 'x'))
    return ours ? [`${method} ${path} is served by agentserver itself (${ours})`] : []
  })
  if (shadowed.length === 0) return app as unknown as Hono
  throw new AppError('invalid_config', `configureApp: ${shadowed.join('; ')}`, {
    hint: 'Give the route another path',
  })
}
