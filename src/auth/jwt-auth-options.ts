import type { JWTPayload } from 'jose'
import type { User } from '../contract/auth.ts'
import type { JwtClaimOptions } from './jwt-claims.ts'

type SymmetricAlgorithm = 'HS256' | 'HS384' | 'HS512'
type AsymmetricAlgorithm =
  | 'RS256'
  | 'RS384'
  | 'RS512'
  | 'PS256'
  | 'PS384'
  | 'PS512'
  | 'ES256'
  | 'ES384'
  | 'ES512'
  | 'EdDSA'
  | 'Ed25519'

interface JwtSettings {
  /** Maps a token's payload to the user. Default: id from `sub`, email, tenantId, role. */
  readonly mapUser?: (payload: JWTPayload) => User | null | undefined
  /** Patterns of public routes. */
  readonly publicRoutes?: readonly string[]
  /** Legacy `auth` only: custom and unknown routes require a token. */
  readonly defaultPrivate?: boolean
}

interface SecretVerifyOptions extends JwtClaimOptions {
  /** Default `['HS256']`. Required with a public key as `secret`. */
  readonly algorithms?: readonly (SymmetricAlgorithm | AsymmetricAlgorithm)[]
}

interface KeyVerifyOptions extends JwtClaimOptions {
  /** With HS… anyone who knows the public key could sign tokens. */
  readonly algorithms: readonly AsymmetricAlgorithm[]
}

interface JwtSecretOptions extends JwtSettings {
  /** The signing secret of HS256, HS384, HS512, or a public key as PEM (SPKI). */
  readonly secret: string | undefined
  /** Not with `secret`. */
  readonly publicKey?: undefined
  /** Not with `secret`. */
  readonly jwksUri?: undefined
  /** Only with `jwksUri`. */
  readonly jwksTimeoutMs?: undefined
  /** Required claims and algorithms. */
  readonly verifyOptions?: SecretVerifyOptions
}

interface JwtPublicKeyOptions extends JwtSettings {
  /** The public key of asymmetric tokens as PEM (SPKI). */
  readonly publicKey: string | undefined
  /** Not with `publicKey`. */
  readonly secret?: undefined
  /** Not with `publicKey`. */
  readonly jwksUri?: undefined
  /** Only with `jwksUri`. */
  readonly jwksTimeoutMs?: undefined
  /** Required claims and algorithms. */
  readonly verifyOptions: KeyVerifyOptions
}

interface JwtKeySetOptions extends JwtSettings {
  /** HTTPS URL of the issuer's public keys (RFC 7517); HTTP on loopback only. They are fetched on first use and cached. */
  readonly jwksUri: string | undefined
  /** Timeout for fetching the keys, in milliseconds. Default 5,000. */
  readonly jwksTimeoutMs?: number
  /** Not with `jwksUri`. */
  readonly secret?: undefined
  /** Not with `jwksUri`. */
  readonly publicKey?: undefined
  /** Required claims and algorithms. */
  readonly verifyOptions: KeyVerifyOptions
}

/**
 * Exactly one of `secret`, `publicKey` and `jwksUri`; the algorithms are required with the last two. A key may be
 * `undefined`, so that it can be read from the environment; `jwtAuth` throws then.
 */
export type JwtAuthOptions = JwtSecretOptions | JwtPublicKeyOptions | JwtKeySetOptions
