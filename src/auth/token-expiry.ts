import { parseJson } from '../lib/json/parse-json.ts'

export interface ExpiryRules {
  /** Seconds for which a token is accepted after its expiry. Default 0. */
  readonly clockTolerance?: number | undefined
  /** Seconds after `iat` at which a token ends. */
  readonly maxTokenAge?: number | undefined
}

/**
 * The time at which a JSON Web Token ends, in milliseconds since the epoch: the earlier of `exp` and
 * `iat` + `maxTokenAge`. `undefined` for a token that does not end, or is no JSON Web Token. The signature is not
 * checked: call it for verified tokens.
 */
export function tokenExpiry(token: string, rules: ExpiryRules = {}): number | undefined {
  const { clockTolerance = 0, maxTokenAge } = rules
  const { exp, iat } = claimsOf(token)
  const ends = [
    ...(typeof exp === 'number' ? [exp] : []),
    ...(typeof iat === 'number' && maxTokenAge !== undefined ? [iat + maxTokenAge] : []),
  ]
  return ends.length === 0 ? undefined : (Math.min(...ends) + clockTolerance) * 1000
}

function claimsOf(token: string): { readonly exp?: unknown; readonly iat?: unknown } {
  const [, payload, signature] = token.split('.')
  if (payload === undefined || signature === undefined) return {}
  try {
    const claims = parseJson(Buffer.from(payload, 'base64url').toString())
    return typeof claims === 'object' && claims !== null && !Array.isArray(claims) ? claims : {}
  } catch {
    // an opaque token that happens to have dots
    return {}
  }
}
