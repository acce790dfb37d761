import { createRemoteJWKSet, importSPKI, jwtVerify } from 'jose'
import type { CryptoKey, JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose'
import { AppError } from '../lib/errors.ts'
import type { AuthProvider, User } from '../contract/auth.ts'

export interface JwtAuthOptions {
  /** The signing secret of HS256, HS384, HS512, or a public key as PEM (SPKI). */
  readonly secret?: string
  /** The public key of asymmetric tokens as PEM (SPKI). */
  readonly publicKey?: string
  /** Where the issuer publishes its public keys (RFC 7517). Fetched when needed and cached. */
  readonly jwksUri?: string
  /** Makes the user of a token's payload. Default: id from `sub`, email, tenantId, role. */
  readonly mapUser?: (payload: JWTPayload) => User | null | undefined
  readonly verifyOptions?: {
    /** Default `['HS256']` with a secret; must be given with a public key or a key set. */
    readonly algorithms?: readonly string[]
    readonly audience?: string | string[]
    readonly issuer?: string | string[]
  }
  /** Route patterns that anyone may call. */
  readonly publicRoutes?: readonly string[]
  /** Legacy `auth` only: custom and unknown routes need a token. */
  readonly defaultPrivate?: boolean
}

const SYMMETRIC = /^HS(256|384|512)$/
const ASYMMETRIC = /^(RS|PS|ES)(256|384|512)$|^EdDSA$|^Ed25519$/
const MIN_SECRET_BYTES = 32
const JWKS_TIMEOUT_MS = 5000

/**
 * Recognises users by JSON Web Tokens (RFC 7519) of an identity provider.
 *
 * @throws AppError `invalid_config` for settings that would accept forged tokens.
 */
export function jwtAuth(options: JwtAuthOptions): AuthProvider {
  const { publicRoutes, defaultPrivate, mapUser = defaultUser, verifyOptions = {} } = options
  const algorithms = verifyOptions.algorithms ?? ['HS256']
  refuse(settingsProblem(options, algorithms))
  const verify: JWTVerifyOptions = {
    algorithms: [...algorithms],
    ...(verifyOptions.audience !== undefined && { audience: verifyOptions.audience }),
    ...(verifyOptions.issuer !== undefined && { issuer: verifyOptions.issuer }),
  }
  const check = verifier(options, algorithms, verify)
  return {
    type: 'jwt',
    ...(publicRoutes && { publicRoutes }),
    ...(defaultPrivate !== undefined && { defaultPrivate }),
    verifyToken: async (token) => mapUser(await check(token)),
    problems: (production) => (production ? productionProblems(options, algorithms) : []),
  }
}

type Verifier = (token: string) => Promise<JWTPayload>

function verifier(
  options: JwtAuthOptions,
  algorithms: readonly string[],
  verify: JWTVerifyOptions,
): Verifier {
  const { jwksUri } = options
  if (jwksUri !== undefined) {
    const keys: JWTVerifyGetKey = createRemoteJWKSet(new URL(jwksUri), { timeoutDuration: JWKS_TIMEOUT_MS })
    return async (token) => (await jwtVerify(token, keys, verify)).payload
  }
  const pem = options.publicKey ?? (isPem(options.secret) ? options.secret : undefined)
  if (pem === undefined) {
    const secret = new TextEncoder().encode(options.secret)
    return async (token) => (await jwtVerify(token, secret, verify)).payload
  }
  let imported: Promise<CryptoKey> | undefined
  return async (token) => {
    imported ??= importSPKI(pem, algorithms[0] ?? '')
    return (await jwtVerify(token, await imported, verify)).payload
  }
}

function settingsProblem(options: JwtAuthOptions, algorithms: readonly string[]): string | undefined {
  const { secret, publicKey, jwksUri } = options
  const given = [secret, publicKey, jwksUri].filter((one) => one !== undefined)
  if (given.length === 0) return 'give a secret, a publicKey or a jwksUri'
  if (given.length > 1) return 'give only one of secret, publicKey and jwksUri'
  if (given.some((one) => typeof one !== 'string' || one.trim() === ''))
    return 'the key is empty; is its variable set?'
  if (jwksUri !== undefined && !URL.canParse(jwksUri)) return 'jwksUri must be a URL'
  const unknown = algorithms.find((one) => !SYMMETRIC.test(one) && !ASYMMETRIC.test(one))
  if (algorithms.length === 0 || unknown !== undefined)
    return `the algorithm "${unknown ?? ''}" is not accepted; use HS256, RS256, ES256, EdDSA or their like`
  const symmetric = algorithms.filter((one) => SYMMETRIC.test(one))
  if (symmetric.length > 0 && symmetric.length < algorithms.length)
    return 'verifyOptions.algorithms must not mix HS… with asymmetric algorithms'
  const asymmetricKey = secret === undefined || isPem(secret)
  if (asymmetricKey && symmetric.length > 0)
    return 'a public key needs verifyOptions.algorithms such as ["RS256"]; with HS… anyone who has it could sign'
  if (!asymmetricKey && symmetric.length === 0)
    return `${algorithms.join(', ')} needs a public key as PEM, or a jwksUri`
  return undefined
}

function productionProblems({ secret }: JwtAuthOptions, algorithms: readonly string[]): string[] {
  const short =
    secret !== undefined &&
    SYMMETRIC.test(algorithms[0] ?? '') &&
    Buffer.byteLength(secret) < MIN_SECRET_BYTES
  return short ? [`jwtAuth: in production the secret must have at least ${MIN_SECRET_BYTES} bytes`] : []
}

function isPem(text: string | undefined): boolean {
  return text !== undefined && text.includes('-----BEGIN ')
}

function defaultUser({ sub, email, tenantId, role }: JWTPayload): User {
  const claims = { id: sub, email, tenantId, role }
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => typeof value === 'string'))
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw new AppError('invalid_config', `jwtAuth: ${problem}`)
}
