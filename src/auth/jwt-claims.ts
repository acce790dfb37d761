import type { JWTClaimVerificationOptions } from 'jose'
import { didYouMean } from '../lib/did-you-mean.ts'

/** Rules for the claims of a JSON Web Token, as users write them. */
export interface JwtClaimOptions {
  /** Required `aud` claim: one of these. */
  readonly audience?: string | string[]
  /** Required `iss` claim: one of these. */
  readonly issuer?: string | string[]
  /** Claims that a token must have. `['exp']` refuses tokens that never end. Default: none. */
  readonly requiredClaims?: readonly string[]
  /** Maximum time since the token's `iat`, in seconds or as text such as `'2 hours'`. Requires `iat`. */
  readonly maxTokenAge?: number | string
  /** Difference between clocks that is accepted in `exp`, `nbf` and `iat`, in seconds or as text. Default 0. */
  readonly clockTolerance?: number | string
}

/** The rules with spans in seconds. */
export interface ClaimRules extends Pick<
  JWTClaimVerificationOptions,
  'audience' | 'issuer' | 'requiredClaims'
> {
  readonly maxTokenAge?: number
  readonly clockTolerance?: number
}

const UNIT_SECONDS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_557_600 } as const
const SPAN =
  /^(\d+(?:\.\d+)?) ?(?:(s)(?:ec(?:ond)?s?)?|(m)(?:in(?:ute)?s?)?|(h)(?:(?:ou)?rs?)?|(d)(?:ays?)?|(w)(?:eeks?)?|(y)(?:(?:ea)?rs?)?)$/i

const NAMES = ['algorithms', 'audience', 'issuer', 'requiredClaims', 'maxTokenAge', 'clockTolerance']

/** Why the options are not valid; `undefined` when they are. */
export function claimsProblem(options: JwtClaimOptions): string | undefined {
  const { requiredClaims, maxTokenAge, clockTolerance } = options
  const unknown = Object.keys(options).find((name) => !NAMES.includes(name))
  if (unknown !== undefined) return unknownName(unknown)
  const isList = requiredClaims === undefined || Array.isArray(requiredClaims)
  if (!isList || requiredClaims?.some((claim) => typeof claim !== 'string' || claim === ''))
    return 'verifyOptions.requiredClaims must be a list of names, such as ["exp"]'
  if (maxTokenAge !== undefined && !(secondsOf(maxTokenAge) > 0)) return invalidSpan('maxTokenAge')
  if (clockTolerance !== undefined && !(secondsOf(clockTolerance) >= 0)) return invalidSpan('clockTolerance')
  return undefined
}

/** The rules of valid options. */
export function claimRules(options: JwtClaimOptions): ClaimRules {
  const { audience, issuer, requiredClaims, maxTokenAge, clockTolerance } = options
  return {
    ...(audience !== undefined && { audience }),
    ...(issuer !== undefined && { issuer }),
    ...(requiredClaims !== undefined && { requiredClaims: [...requiredClaims] }),
    ...(maxTokenAge !== undefined && { maxTokenAge: secondsOf(maxTokenAge) }),
    ...(clockTolerance !== undefined && { clockTolerance: secondsOf(clockTolerance) }),
  }
}

/** A rule that is misspelled would not be checked. */
function unknownName(name: string): string {
  const similar = didYouMean(name, NAMES)
  const hint = similar === undefined ? `use ${NAMES.join(', ')}` : `did you mean "${similar}"?`
  return `unknown option "verifyOptions.${name}"; ${hint}`
}

function invalidSpan(name: string): string {
  return `verifyOptions.${name} must be a number of seconds, or a text such as "5 minutes"`
}

/** A span in seconds; `NaN` when it is not valid. */
function secondsOf(span: number | string): number {
  if (typeof span === 'number') return Number.isFinite(span) ? span : Number.NaN
  const [, count, ...units] = SPAN.exec(span.trim()) ?? []
  const unit = units.find((one) => one !== undefined)?.toLowerCase() as keyof typeof UNIT_SECONDS | undefined
  return unit === undefined ? Number.NaN : Number(count) * UNIT_SECONDS[unit]
}
