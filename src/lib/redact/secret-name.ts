/** A word that makes a name sensitive, also at the end of a longer one, as in `dbpassword`. */
const SECRET_WORD =
  /(?:authori[sz]ation|password|passwd|passphrase|passcode|secret|token|credential|apikey|accesskey|secretkey|privatekey)s?$|^(?:pwd|jwt|bearer|cookies?)$/

/** A key alone is any identifier; one of these kinds is a secret. Looked for in the name's letters. */
const SECRET_KEY = /(?:api|access|secret|private|auth|signing|encryption)keys?/

/** Last words that speak about a secret without giving it away. */
const DESCRIPTION =
  /^(?:counts?|usage|used|limits?|budget|details?|type|length|size|cost|price|second|minute|expiry|expires|expiration|ttl|policy)$/

/** A text without any of these holds no name of a secret; nearly all text is like that. */
const HINT = /authori|passw|passphrase|passcode|secret|token|credential|key|pwd|jwt|bearer|cookie/i

/** Whether a text may hold the name of a secret. */
export function hintsAtSecret(text: string): boolean {
  return HINT.test(text)
}

/** Whether a value under this name is to be kept from readers: `apiKey`, `x-api-key`, `client_secret`. */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name)
  if (DESCRIPTION.test(words.at(-1) ?? '')) return false
  return words.some((word) => SECRET_WORD.test(word)) || SECRET_KEY.test(words.join(''))
}

/** The same, where the value tells more: what `maxTokens` and `tokens` count is no secret. */
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
