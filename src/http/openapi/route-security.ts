import type { Requirement } from '../../auth/access-policy.ts'
import type { Gate } from '../../auth/gate.ts'
import type { Access, Endpoint } from '../../contract/endpoint.ts'
import type { RouteTarget } from '../../contract/route-pattern.ts'

/** What OpenAPI calls security requirements: alternatives, each with the schemes that it takes together. */
export type Security = readonly Readonly<Record<string, readonly string[]>>[]

/** The credentials an API description names. */
const SECURITY_SCHEMES = {
  consoleKey: { type: 'apiKey', in: 'header', name: 'x-console-access-key' },
  userToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  developmentBypass: {
    type: 'apiKey',
    in: 'header',
    name: 'x-service-dev',
    description: '`true`; not in production',
  },
} as const

const NO_KEY = 'None is set: SERVICE_CONSOLE_ACCESS_KEY is empty'

/** The same, with a word where nobody can have one. */
export function securitySchemes({ hasConsoleKey }: Gate): object {
  if (hasConsoleKey) return SECURITY_SCHEMES
  return { ...SECURITY_SCHEMES, consoleKey: { ...SECURITY_SCHEMES.consoleKey, description: NO_KEY } }
}

const KEY = { consoleKey: [] }
const TOKEN = { userToken: [] }

const SECURITY: Readonly<Record<Requirement, Security>> = {
  public: [],
  console: [KEY],
  user: [TOKEN],
  'console-or-user': [KEY, TOKEN],
  'user-and-console': [{ ...KEY, ...TOKEN }],
}

/** What opens a route under the configuration in service. */
export function securityOf(gate: Gate, target: RouteTarget, endpoint?: Endpoint): Security {
  const required = gate.policy.requirement(target, endpoint)
  const isBypassed = required !== 'public' && !gate.production
  return isBypassed ? [...SECURITY[required], { developmentBypass: [] }] : SECURITY[required]
}

/** The class that the configuration in service gives a route that is in no table of endpoints. */
export function classOf(gate: Gate, target: RouteTarget): Access {
  const required = gate.policy.requirement(target, undefined)
  if (required === 'console-or-user') return 'console'
  return required === 'public' || required === 'console' ? required : 'user'
}
