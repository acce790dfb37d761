import { createPublicKey } from 'node:crypto'
import type { JWTPayload, JWTVerifyOptions } from 'jose'
import { AppError } from '../lib/errors.ts'
import { lazy } from '../lib/async/lazy.ts'
import type { AuthProvider, User } from '../contract/auth.ts'
import { claimRules, claimsProblem } from './jwt-claims.ts'
import type { JwtClaimOptions } from './jwt-claims.ts'
import { isPem, productionProblems, settingsProblem } from './jwt-settings.ts'
import { tokenExpiry } from './token-expiry.ts'

interface JwtVerifyOptions extends JwtClaimOptions {
  /** Default `['HS256']`. Required with a public key or `jwksUri`. */
  readonly algorithms?: readonly string[]
}

export interface JwtAuthOptions {
  /** The signing secret of HS256, HS384, HS512, or a public key as PEM (SPKI). */
  readonly secret?: string | undefined
  /** The public key of asymmetric tokens as PEM (SPKI). */
  readonly publicKey?: string | undefined
  /** HTTPS URL of the issuer's public keys (RFC 7517); HTTP on loopback only. They are fetched on first use and cached. */
  readonly jwksUri?: string | undefined
  /** Timeout for fetching the keys, in milliseconds. Default 5,000. */
  readonly jwksTimeoutMs?: number
  /** Maps a token's payload to the user. Default: id from `sub`, email, tenantId, role. */
  readonly mapUser?: (payload: JWTPayload) => User | null | undefined
  readonly verifyOptions?: JwtVerifyOptions
  /** Patterns of public routes. */
  readonly publicRoutes?: readonly string[]
  /** Legacy `auth` only: custom and unknown routes require a token. */
  readonly defaultPrivate?: boolean
}

const JWKS_TIMEOUT_MS = 5000

/**
 * Authenticates users by JSON Web Tokens (RFC 7519) of an identity provider.
 *
 * @throws AppError `invalid_config` when the settings are incomplete or would accept forged tokens.
 */
export function jwtAuth(options: JwtAuthOptions): AuthProvider {
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
