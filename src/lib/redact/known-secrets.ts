import type { Clock } from '../clock.ts'
import { isSecretName } from './secret-name.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Variables that hold a credential, whatever its value looks like. */
const CREDENTIALS = new Set([
  'SERVICE_CONSOLE_ACCESS_KEY',
  'SERVICE_PUBLIC_KEY',
  'SERVICE_SECRET_KEY',
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
])

/** The credentials in an environment, also in the forms in which they are sent. */
export function secretsIn(env: Environment): string[] {
  const found = Object.entries(env).flatMap(([name, value = '']) => {
    const secret = value.trim()
    return CREDENTIALS.has(name) || (isSecretName(name) && !isOrdinary(secret)) ? forms(secret) : []
  })
  const { SERVICE_PUBLIC_KEY: user, SERVICE_SECRET_KEY: password } = env
  if (user && password) found.push(Buffer.from(`${user}:${password}`).toString('base64'))
  return found
}

/** Values such as `postgres` are words of many texts; paths and addresses, as in PWD, tell where something is. */
function isOrdinary(value: string): boolean {
  const isWord = value.length < 8 || (value.length < 20 && /^(?:[a-z]+|[A-Z]+|\d+)$/.test(value))
  return isWord || /^(?:[/~.]|[a-z]:\\|https?:\/\/)/i.test(value)
}

function forms(secret: string): string[] {
  // half a surrogate pair has no encoding
  const encoded = encodeURIComponent(Buffer.from(secret).toString())
  return encoded === secret ? [secret] : [secret, encoded]
}

/** How long what was read of an environment is used, in milliseconds. */
const FRESH_MS = 500

/** Follows the credentials of an environment that changes, without reading it each time it is asked. */
export class KnownSecrets {
  readonly #env: Environment
  readonly #clock: Clock
  #values: readonly string[] = []
  #readAt = Number.NEGATIVE_INFINITY

  constructor(env: Environment, clock: Clock) {
    this.#env = env
    this.#clock = clock
  }

  /** The same array for as long as nothing has changed. */
  readonly values = (): readonly string[] => {
    if (Math.abs(this.#clock.now() - this.#readAt) > FRESH_MS) this.refresh()
    return this.#values
  }

  /** Reads the environment now: it has just changed. */
  refresh(): void {
    this.#readAt = this.#clock.now()
    const read = secretsIn(this.#env)
    const same =
      read.length === this.#values.length && read.every((value, index) => value === this.#values[index])
    if (!same) this.#values = read
  }
}
