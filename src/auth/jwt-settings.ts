import { createPublicKey } from 'node:crypto'

/** What tokens are checked with. */
interface JwtKeys {
  readonly secret?: string | undefined
  readonly publicKey?: string | undefined
  readonly jwksUri?: string | undefined
}

const SYMMETRIC = /^HS(256|384|512)$/
const ASYMMETRIC = /^(RS|PS|ES)(256|384|512)$|^EdDSA$|^Ed25519$/
/** What kinds of keys an algorithm takes, by its first letters. */
const KEY_TYPES: Readonly<Record<string, readonly string[]>> = {
  RS: ['rsa'],
  PS: ['rsa', 'rsa-pss'],
  ES: ['ec'],
  Ed: ['ed25519'],
}
const MIN_SECRET_BYTES = 32

/** Why tokens must not be checked with these settings; `undefined` when they may. */
export function settingsProblem(keys: JwtKeys, algorithms: readonly string[]): string | undefined {
  return keysProblem(keys) ?? algorithmsProblem(keys, algorithms)
}

function keysProblem(keys: JwtKeys): string | undefined {
  const { secret, publicKey, jwksUri } = keys
  const given = [secret, publicKey, jwksUri].filter((one) => one !== undefined)
  const unset = (['secret', 'publicKey', 'jwksUri'] as const).find((name) => name in keys)
  if (given.length === 0 && unset !== undefined) return `${unset} is undefined; is its variable set?`
  if (given.length === 0) return 'give a secret, a publicKey or a jwksUri'
  if (given.length > 1) return 'give only one of secret, publicKey and jwksUri'
  if (given.some((one) => typeof one !== 'string' || one.trim() === ''))
    return 'the key is empty; is its variable set?'
  if (jwksUri !== undefined && !/^https?:\/\//i.test(jwksUri)) return 'jwksUri must be an http(s) URL'
  if (publicKey !== undefined && !isPem(publicKey))
    return 'publicKey must be a PEM that begins with -----BEGIN PUBLIC KEY-----'
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(secret ?? publicKey ?? ''))
    return 'this is a private key; checking tokens needs the public one'
  return undefined
}

function algorithmsProblem(
  { secret, publicKey }: JwtKeys,
  algorithms: readonly string[],
): string | undefined {
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
  const pem = publicKey ?? (isPem(secret) ? secret : undefined)
  return pem === undefined ? undefined : publicKeyProblem(pem, algorithms)
}

/** Tokens that the key can't check would all be refused, without a word why. */
function publicKeyProblem(pem: string, algorithms: readonly string[]): string | undefined {
  try {
    const type = createPublicKey(pem).asymmetricKeyType ?? ''
    const other = algorithms.find((one) => !KEY_TYPES[one.slice(0, 2)]?.includes(type))
    return other === undefined ? undefined : `a key of type ${type} can't check ${other}`
  } catch {
    // the reader knows what was given; a library's words about it would not help
    return 'the public key can not be read; it must be a PEM as "openssl pkey -pubout" writes it'
  }
}

/** What must be otherwise in production. */
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
