import type { Requirement } from '../../auth/access-policy.ts'
import type { Gate } from '../../auth/gate.ts'
import type { Access, Endpoint } from '../../contract/endpoint.ts'
import type { RouteTarget } from '../../contract/route-pattern.ts'
import type { Json } from './components.ts'

/** OpenAPI security requirements: alternatives, each a set of schemes that are required together. */
export type Security = readonly Readonly<Record<string, readonly string[]>>[]

/** The security schemes of the API description. */
const SECURITY_SCHEMES = {
  consoleKey: { type: 'apiKey', in: 'header', name: 'x-console-access-key' },
  userToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  developmentBypass: {
    type: 'apiKey',
    in: 'header',
    name: 'x-service-dev',
    description: 'The value `true`. Not valid in production.',
  },
} as const

const NO_KEY = 'No key is configured: SERVICE_CONSOLE_ACCESS_KEY is not set.'

/** The security schemes that operations require, with a note when no console key is configured. */
export function securitySchemes({ hasConsoleKey }: Gate, operations: readonly Json[]): Json {
  const required = new Set(operations.flatMap(({ security }) => (security as Security).flatMap(Object.keys)))
  const { consoleKey } = SECURITY_SCHEMES
  const schemes = hasConsoleKey
    ? SECURITY_SCHEMES
    : { ...SECURITY_SCHEMES, consoleKey: { ...consoleKey, description: NO_KEY } }
  return Object.fromEntries(Object.entries(schemes).filter(([name]) => required.has(name)))
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

/** The security of a route under the current configuration. */
export function securityOf(gate: Gate, target: RouteTarget, endpoint?: Endpoint): Security {
  const required = gate.policy.requirement(target, endpoint)
  const isBypassed = required !== 'public' && !gate.production
  return isBypassed ? [...SECURITY[required], { developmentBypass: [] }] : SECURITY[required]
}

/** The access class of a custom route or WebSocket under the current configuration. */
export function classOf(gate: Gate, target: RouteTarget): Access {
  const required = gate.policy.requirement(target, undefined)
  if (required === 'console-or-user') return 'console'
  return required === 'public' || required === 'console' ? required : 'user'
}
