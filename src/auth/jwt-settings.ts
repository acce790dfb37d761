import { createPublicKey } from 'node:crypto'
import { hostName, isLoopback } from '../lib/host-name.ts'

/** The key that verifies tokens. */
interface JwtKeys {
  readonly secret?: string | undefined
  readonly publicKey?: string | undefined
  readonly jwksUri?: string | undefined
}

const SYMMETRIC = /^HS(256|384|512)$/
const ASYMMETRIC = /^(RS|PS|ES)(256|384|512)$|^EdDSA$|^Ed25519$/
/** The key types of an algorithm, by its first two letters. */
const KEY_TYPES: Readonly<Record<string, readonly string[]>> = {
  RS: ['rsa'],
  PS: ['rsa', 'rsa-pss'],
  ES: ['ec'],
  Ed: ['ed25519'],
}
/** HS256 is as strong as its key: RFC 7518 requires 256 bits. */
const MIN_SECRET_BYTES = 32

/** Why these settings can't or must not verify tokens; `undefined` when they are fine. */
export function settingsProblem(keys: JwtKeys, algorithms: readonly string[]): string | undefined {
  return keysProblem(keys) ?? algorithmsProblem(keys, algorithms)
}

function keysProblem(keys: JwtKeys): string | undefined {
  const { secret, publicKey, jwksUri } = keys
  const given = [secret, publicKey, jwksUri].filter((one) => one !== undefined)
  const unset = (['secret', 'publicKey', 'jwksUri'] as const).find((name) => name in keys)
  if (given.length === 0 && unset !== undefined)
    return `${unset} is undefined; is its environment variable set?`
  if (given.length === 0) return 'set secret, publicKey or jwksUri'
  if (given.length > 1) return 'set only one of secret, publicKey and jwksUri'
  if (given.some((one) => typeof one !== 'string' || one.trim() === ''))
    return 'the key is empty; is its environment variable set?'
  if (jwksUri !== undefined && !isTrustedUrl(jwksUri))
    return 'jwksUri must be an https URL; http is accepted for localhost only, since others could replace the keys'
  if (publicKey !== undefined && !isPem(publicKey))
    return 'publicKey must be a PEM that begins with -----BEGIN PUBLIC KEY-----'
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(secret ?? publicKey ?? ''))
    return 'this is a private key; use the public key'
  return undefined
}

/** Keys that arrive over plain HTTP can be replaced on the way, and with them every token. */
function isTrustedUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, host } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostName(host)))
}

function algorithmsProblem(
  { secret, publicKey }: JwtKeys,
  algorithms: readonly string[],
): string | undefined {
  if (algorithms.length === 0) return 'verifyOptions.algorithms must name an algorithm, such as "HS256"'
  const unknown = algorithms.find((one) => !SYMMETRIC.test(one) && !ASYMMETRIC.test(one))
  if (unknown !== undefined)
    return `the algorithm "${unknown}" is not supported; use HS256, RS256, PS256, ES256 (or 384, 512) or EdDSA`
  const symmetric = algorithms.filter((one) => SYMMETRIC.test(one))
  if (symmetric.length > 0 && symmetric.length < algorithms.length)
    return 'verifyOptions.algorithms must not mix HS… with asymmetric algorithms'
  const asymmetricKey = secret === undefined || isPem(secret)
  if (asymmetricKey && symmetric.length > 0)
    return 'a public key or jwksUri requires verifyOptions.algorithms such as ["RS256"]; with HS… anyone who knows it could sign tokens'
  if (!asymmetricKey && symmetric.length === 0)
    return `${algorithms.join(', ')} requires a public key as PEM, or jwksUri`
  const pem = publicKey ?? (isPem(secret) ? secret : undefined)
  return pem === undefined ? undefined : publicKeyProblem(pem, algorithms)
}

/** Without this check, every token would be refused at run time, without a reason. */
function publicKeyProblem(pem: string, algorithms: readonly string[]): string | undefined {
  try {
    const type = createPublicKey(pem).asymmetricKeyType ?? ''
    const other = algorithms.find((one) => !KEY_TYPES[one.slice(0, 2)]?.includes(type))
    return other === undefined ? undefined : `a key of type ${type} can't verify ${other}`
  } catch {
    return 'the public key can\'t be parsed; it must be a PEM as written by "openssl pkey -pubout"'
  }
}

/** Problems that count in production only. */
export function productionProblems({ secret }: JwtKeys, algorithms: readonly string[]): string[] {
  const short =
    secret !== undefined &&
    SYMMETRIC.test(algorithms[0] ?? '') &&
    Buffer.byteLength(secret) < MIN_SECRET_BYTES
  return short ? [`jwtAuth: in production the secret must have at least ${MIN_SECRET_BYTES} bytes`] : []
}

export function isPem(text: string | undefined): text is string {
  return text !== undefined && text.includes('-----BEGIN ')
}
