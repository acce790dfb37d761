import { requireObject } from '../lib/require-object.ts'
import { createPublicKey } from 'node:crypto'
import type { JWTPayload, JWTVerifyOptions } from 'jose'
import { AppError } from '../lib/errors.ts'
import { lazy } from '../lib/async/lazy.ts'
import type { AuthProvider, User } from '../contract/auth.ts'
import type { JwtAuthOptions } from './jwt-auth-options.ts'
import { claimRules, claimsProblem } from './jwt-claims.ts'
import { isPem, productionProblems, settingsProblem } from './jwt-settings.ts'
import { tokenExpiry } from './token-expiry.ts'

/** An outage of the identity provider shows as 401 soon. */
const JWKS_TIMEOUT_MS = 5000

/**
 * Authenticates users by JSON Web Tokens (RFC 7519) of an identity provider.
 *
 * @throws AppError `invalid_config` when the settings are incomplete or would accept forged tokens.
 *
 * @example
 * const provider = jwtAuth({
 *   jwksUri: 'https://login.example.com/.well-known/jwks.json',
 *   verifyOptions: { algorithms: ['RS256'], audience: 'shop', requiredClaims: ['exp'] },
 * })
 * export default defineConfig({ authNext: { provider }, workflows: [order] })
 */
export function jwtAuth(options: JwtAuthOptions): AuthProvider {
  requireObject('jwtAuth', 'options', options)
  const { publicRoutes, defaultPrivate, mapUser = defaultUser, verifyOptions = {} } = options
  const algorithms = verifyOptions.algorithms ?? ['HS256']
  const problem = settingsProblem(options, algorithms) ?? claimsProblem(verifyOptions)
  if (problem !== undefined) throw new AppError('invalid_config', `jwtAuth: ${problem}`)
  const rules = claimRules(verifyOptions)
  const check = verifier(options, { algorithms: [...algorithms], ...rules })
  return {
    type: 'jwt',
    ...(publicRoutes && { publicRoutes }),
    ...(defaultPrivate !== undefined && { defaultPrivate }),
    secrets: () => (options.secret === undefined || isPem(options.secret) ? [] : [options.secret]),
    verifyToken: async (token) => mapUser(await check(token)),
    local: options.jwksUri === undefined,
    expiresAt: (token) => tokenExpiry(token, rules),
    problems: (production) => (production ? productionProblems(options, algorithms) : []),
  }
}

type Verifier = (token: string) => Promise<JWTPayload>

function verifier(options: JwtAuthOptions, verify: JWTVerifyOptions): Verifier {
  const { jwksUri, jwksTimeoutMs = JWKS_TIMEOUT_MS } = options
  // imported with the first token, so that other projects do not load it
  const jose = lazy(() => import('jose'))
  if (jwksUri !== undefined) {
    const options = { timeoutDuration: jwksTimeoutMs }
    const keys = lazy(async () => (await jose()).createRemoteJWKSet(new URL(jwksUri), options))
    return async (token) => (await (await jose()).jwtVerify(token, await keys(), verify)).payload
  }
  const pem = options.publicKey ?? (isPem(options.secret) ? options.secret : undefined)
  if (pem === undefined) {
    const secret = new TextEncoder().encode(options.secret)
    return async (token) => (await (await jose()).jwtVerify(token, secret, verify)).payload
  }
  const key = createPublicKey(pem)
  return async (token) => (await (await jose()).jwtVerify(token, key, verify)).payload
}

function defaultUser({ sub, email, tenantId, role }: JWTPayload): User {
  const claims = { id: sub, email, tenantId, role }
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => typeof value === 'string'))
}
