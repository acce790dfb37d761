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
  return [...found, ...HEADER_LISTS.flatMap((name) => headerSecrets(listed(env[name])))]
}

/** The credentials among the headers of requests that are sent: of `Bearer <token>` the token. */
export function headerSecrets(headers: Environment): string[] {
  return Object.entries(headers).flatMap(([name, value = '']) => {
    const secret = value.trim().split(/\s+/).at(-1) ?? ''
    const isCredential = isSecretName(name) || secret.length >= LONG
    return isCredential && !isOrdinary(secret) ? forms(secret) : []
  })
}

/** Headers as OpenTelemetry's variables list them. */
const HEADER_LISTS = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS']
/** A header's value of so many characters without a blank is a key, whatever its name. */
const LONG = 20

function listed(list = ''): Environment {
  const pairs = list.split(',').map((pair) => {
    const [name = '', ...value] = pair.split('=')
    return [name.trim(), decoded(value.join('='))] as const
  })
  return Object.fromEntries(pairs)
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    // not encoded at all
    return value
  }
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
  #held: readonly string[] = []
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

  /** Knows these, too, in place of those that were held before. */
  hold(secrets: readonly string[]): void {
    this.#held = secrets
    this.refresh()
  }

  /** Reads the environment now: it has just changed. */
  refresh(): void {
    this.#readAt = this.#clock.now()
    const read = [...secretsIn(this.#env), ...this.#held]
    const same =
      read.length === this.#values.length && read.every((value, index) => value === this.#values[index])
    if (!same) this.#values = read
  }
}
