import type { AuthProvider } from '../../contract/auth.ts'
import type { RouteTarget } from '../../contract/route-pattern.ts'

/** Says that `auth` is deprecated, and the same access rules as `authNext`. */
export function legacyAuthNotice(provider: AuthProvider, ownRoutes: readonly RouteTarget[]): string {
  const own = provider.defaultPrivate === true ? [] : ownRoutes.map((route) => `'${patternOf(route)}'`)
  const publicRoutes = ['...DEFAULT_PUBLIC_ROUTES', ...own].join(', ')
  const name = provider.type === 'jwt' ? 'jwtAuth({ … })' : `<your ${provider.type} provider>`
  return `auth is deprecated. The equivalent: authNext: { provider: ${name}, publicRoutes: [${publicRoutes}] }`
}

function patternOf({ method, path }: RouteTarget): string {
  const plain = path.replaceAll(/:(\w+)(?:\{[^}]*\})?\??/g, ':$1')
  return method === 'ALL' ? plain : `${method} ${plain}`
}
