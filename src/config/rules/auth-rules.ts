import type { AuthProvider, AuthSettings } from '../../contract/auth.ts'
import { hostName, isLoopback } from '../../lib/host-name.ts'
import { unknownOption } from '../../lib/unknown-option.ts'
import { patternProblem } from '../../contract/route-pattern.ts'

/** The problems of the authentication settings. */
export function authProblems({ authNext, auth }: AuthSettings): string[] {
  return [
    ...(authNext === undefined ? [] : nextProblems(authNext)),
    ...(auth === undefined ? [] : providerProblems('auth', auth)),
  ]
}

const AUTH_NEXT_OPTIONS = [
  'provider',
  'publicRoutes',
  'consoleRoutes',
  'authorize',
  'ownership',
  'authorizationServers',
]

function nextProblems(authNext: unknown): string[] {
  if (typeof authNext !== 'object' || authNext === null)
    return ['authNext: must be an object with a provider']
  const { provider, publicRoutes, consoleRoutes, authorize, ownership, authorizationServers, ...unknown } =
    authNext as Record<string, unknown>
  return [
    ...Object.keys(unknown).map((key) => unknownOption(['authNext', key], AUTH_NEXT_OPTIONS)),
    ...providerProblems('authNext.provider', provider),
    ...patternProblems('authNext.publicRoutes', publicRoutes),
    ...patternProblems('authNext.consoleRoutes', consoleRoutes),
    ...ruleProblems(authorize, ownership),
    ...issuerProblems('authNext.authorizationServers', authorizationServers),
  ]
}

function issuerProblems(path: string, issuers: unknown): string[] {
  if (issuers === undefined) return []
  if (!Array.isArray(issuers) || issuers.length === 0)
    return [`${path}: must be an array of at least one issuer URL, such as 'https://login.example.com'`]
  return issuers.flatMap((issuer: unknown, index) =>
    isIssuer(issuer)
      ? []
      : [
          `${path}[${index}]: must be an issuer URL: https (http only for loopback hosts), without query, fragment or user`,
        ],
  )
}

/** An issuer identifier of RFC 8414. */
function isIssuer(value: unknown): boolean {
  if (typeof value !== 'string' || /[?#\s]/.test(value) || !URL.canParse(value)) return false
  const { protocol, hostname, username, password } = new URL(value)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostName(hostname)))
}

function ruleProblems(authorize: unknown, ownership: unknown): string[] {
  return [
    ...(authorize === undefined || typeof authorize === 'function'
      ? []
      : ['authNext.authorize: must be a function ({ user, action, resource }) => boolean']),
    ...(ownership === undefined || ownership === 'strict'
      ? []
      : ["authNext.ownership: must be 'strict' or omitted"]),
    ...(authorize !== undefined && ownership !== undefined
      ? ['authNext.ownership: has no effect beside authorize, which decides alone; remove one of the two']
      : []),
  ]
}

function providerProblems(path: string, provider: unknown): string[] {
  if (typeof provider !== 'object' || provider === null)
    return [`${path}: must be a provider, such as jwtAuth({ secret })`]
  const { type, verifyToken, publicRoutes, defaultPrivate } = provider as Partial<AuthProvider>
  return [
    ...(typeof type === 'string' ? [] : [`${path}.type: must be a string`]),
    ...(typeof verifyToken === 'function' ? [] : [`${path}.verifyToken: must be a function`]),
    ...(defaultPrivate === undefined || typeof defaultPrivate === 'boolean'
      ? []
      : [`${path}.defaultPrivate: must be true or false`]),
    ...patternProblems(`${path}.publicRoutes`, publicRoutes),
  ]
}

function patternProblems(path: string, patterns: unknown): string[] {
  if (patterns === undefined) return []
  if (!Array.isArray(patterns)) return [`${path}: must be an array of route patterns`]
  return patterns.flatMap((pattern: unknown, index) => {
    const problem = patternProblem(pattern)
    return problem === undefined ? [] : [`${path}[${index}]: ${problem}`]
  })
}
