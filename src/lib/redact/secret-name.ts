/** Words that make a name sensitive, also as the end of a longer word such as `dbpassword`. */
const SECRET_WORD =
  /(?:authori[sz]ation|password|passwd|passphrase|passcode|secret|token|credential|apikey|accesskey|secretkey|privatekey)s?$|^(?:pwd|jwt|bearer|cookies?)$/

/** Kinds of keys that are secrets. `key` alone may be any identifier. Matched against the joined words of the name. */
const SECRET_KEY = /(?:api|access|secret|private|auth|signing|encryption)keys?/

/** Last words of names that describe a secret without containing it, such as `tokenCount`. */
const DESCRIPTION =
  /^(?:counts?|usage|used|limits?|budget|details?|type|length|size|cost|price|second|minute|expiry|expires|expiration|ttl|policy)$/

/** A quick test that rules out most text. */
const HINT = /authori|passw|passphrase|passcode|secret|token|credential|key|pwd|jwt|bearer|cookie/i

/** Whether a text may contain the name of a secret. */
export function mayContainSecretName(text: string): boolean {
  return HINT.test(text)
}

/** Whether values under this name are secret: `apiKey`, `x-api-key`, `client_secret`. */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name)
  if (DESCRIPTION.test(words.at(-1) ?? '')) return false
  return words.some((word) => SECRET_WORD.test(word)) || SECRET_KEY.test(words.join(''))
}

/** Whether a value under this name is secret. Token counts, such as of `maxTokens` and `tokens`, are not. */
export function isSecret(name: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'boolean' || value === '') return false
  return isSecretName(name) && !(/tokens$/i.test(name) && isCount(value))
}

function isCount(value: unknown): boolean {
  if (typeof value === 'number' || typeof value === 'bigint') return true
  if (typeof value === 'string') return /^\d{1,12}$/.test(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const parts = Object.keys(value)
  return parts.length > 0 && parts.every((key) => isSmallCount(Reflect.get(value, key)))
}

function isSmallCount(value: unknown): boolean {
  return value === null || value === undefined || typeof value === 'number'
}

/** `stripeApiKey`, `STRIPE_API_KEY`, `stripe.api-key`, `APIKey2` → `stripe`, `api`, `key`. */
function wordsOf(name: string): string[] {
  return name
    .slice(0, MAX_NAME)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '')
}

const MAX_NAME = 256
