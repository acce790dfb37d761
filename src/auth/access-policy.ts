import type { AuthNext, AuthProvider, AuthSettings } from '../contract/auth.ts'
import { DEFAULT_CONSOLE_ROUTES, accessOf, isChannel } from '../contract/index.ts'
import { GROUPS } from '../contract/endpoint.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { routeMatcher } from '../contract/route-pattern.ts'
import type { RouteMatcher, RouteTarget } from '../contract/route-pattern.ts'
import { resourcePolicy } from './resource-policy.ts'
import type { ResourcePolicy } from './resource-policy.ts'

/** The credentials that a route requires. */
export type Requirement = 'public' | 'console' | 'user' | 'console-or-user' | 'user-and-console'

export interface AccessPolicy {
  readonly mode: 'authNext' | 'auth' | 'none'
  readonly provider: AuthProvider | undefined
  /** The rules for what admitted callers may do. */
  readonly resources: ResourcePolicy
  /** The requirement of a route. `endpoint` is `undefined` for custom and unknown routes. */
  requirement(target: RouteTarget, endpoint: Endpoint | undefined): Requirement
  /** Whether the console key makes its sender an operator on a route, also on a public one. */
  isConsole(target: RouteTarget, endpoint: Endpoint | undefined): boolean
}

/** The access rules of a configuration. `authNext` takes precedence over `auth`. */
export function accessPolicy(settings: AuthSettings, production: boolean): AccessPolicy {
  return { ...routePolicy(settings, production), resources: resourcePolicy(settings) }
}

type RoutePolicy = Omit<AccessPolicy, 'resources'>

function routePolicy({ authNext, auth }: AuthSettings, production: boolean): RoutePolicy {
  if (authNext) return nextPolicy(authNext, production)
  if (auth) return legacyPolicy(auth, production)
  return { mode: 'none', provider: undefined, requirement: () => 'public', isConsole: () => false }
}

function nextPolicy(
  { provider, publicRoutes = [], consoleRoutes }: AuthNext,
  production: boolean,
): RoutePolicy {
  const isPublic = routeMatcher([...publicRoutes, ...(provider.publicRoutes ?? [])])
  const isConsole = consoleClass(consoleRoutes)
  return {
    mode: 'authNext',
    provider,
    isConsole,
    requirement: (target, endpoint) => {
      if ((endpoint && accessOf(endpoint) === 'public') || isPublic(target)) return 'public'
      if (isOpenLogin(endpoint, production)) return 'public'
      if (isConsole(target, endpoint)) return 'console'
      return production && endpoint?.group === 'setup' ? 'user-and-console' : 'user'
    },
  }
}

function consoleClass(routes: readonly string[] | undefined): AccessPolicy['isConsole'] {
  const matches: RouteMatcher = routeMatcher(routes ?? DEFAULT_CONSOLE_ROUTES)
  if (routes) return matches
  return (target, endpoint) => (endpoint ? accessOf(endpoint) === 'console' : matches(target))
}

/** A browser that comes back from a login has no key. In development the secret state of the login is the permission. */
function isOpenLogin(endpoint: Endpoint | undefined, production: boolean): boolean {
  return endpoint?.group === 'login' && !production
}

function legacyPolicy(provider: AuthProvider, production: boolean): RoutePolicy {
  const isPublic = routeMatcher(provider.publicRoutes ?? [])
  const custom: Requirement = provider.defaultPrivate === true ? 'user' : 'public'
  const protectedByKey: Requirement = production ? 'console' : 'console-or-user'
  return {
    mode: 'auth',
    provider,
    isConsole: () => false,
    requirement: (target, endpoint) => {
      if (endpoint && GROUPS[endpoint.group].legacy === 'public') return 'public'
      if (isPublic(target) || isOpenLogin(endpoint, production)) return 'public'
      if (target.method === 'WS' && isChannel(target.path)) return protectedByKey
      if (!endpoint) return custom
      if (endpoint.group === 'execution') return 'user'
      if (endpoint.group === 'setup') return production ? 'user-and-console' : 'user'
      return protectedByKey
    },
  }
}
