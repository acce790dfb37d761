import type { Clock } from '../clock.ts'
import { isSecretName } from './secret-name.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Variables that contain a credential, also if the value is an ordinary word. */
const CREDENTIALS = new Set([
  'SERVICE_CONSOLE_ACCESS_KEY',
  'AGENTSERVER_LINK_SECRET',
  'SERVICE_PUBLIC_KEY',
  'SERVICE_SECRET_KEY',
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
])

/** The credentials in an environment, plain and as they occur in requests: URL-encoded, or encoded for Basic auth. */
export function secretsIn(env: Environment): string[] {
  const found = Object.entries(env).flatMap(([name, value = '']) => {
    const secret = value.trim()
    return CREDENTIALS.has(name) || (isSecretName(name) && !isOrdinary(secret)) ? withEncoded(secret) : []
  })
  const { SERVICE_PUBLIC_KEY: user, SERVICE_SECRET_KEY: password } = env
  if (user && password) found.push(Buffer.from(`${user}:${password}`).toString('base64'))
  return [...found, ...HEADER_VARIABLES.flatMap((name) => headerSecrets(parseHeaderList(env[name])))]
}

/** The credentials in the headers of outgoing requests; for `Bearer <token>`, the token. */
export function headerSecrets(headers: Environment): string[] {
  return Object.entries(headers).flatMap(([name, value = '']) => {
    const secret = value.trim().split(/\s+/).at(-1) ?? ''
    const isCredential = isSecretName(name) || secret.length >= MIN_KEY_LENGTH
    return isCredential && !isOrdinary(secret) ? withEncoded(secret) : []
  })
}

/** OpenTelemetry's variables for headers: a list of `name=value` pairs, URL-encoded (W3C Baggage). */
const HEADER_VARIABLES = [
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  'OTEL_EXPORTER_OTLP_METRICS_HEADERS',
]
/** Header values of at least this length, without spaces, are treated as keys under any name. */
const MIN_KEY_LENGTH = 20

function parseHeaderList(list = ''): Environment {
  const pairs = list.split(',').map((pair) => {
    const [name = '', ...value] = pair.split('=')
    return [name.trim(), decode(value.join('='))] as const
  })
  return Object.fromEntries(pairs)
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    // not encoded
    return value
  }
}

/** Words such as `postgres`, paths and URLs are not secrets. Redacting them would make ordinary text unreadable. */
function isOrdinary(value: string): boolean {
  const isWord = value.length < 8 || (value.length < 20 && /^(?:[a-z]+|[A-Z]+|\d+)$/.test(value))
  return isWord || /^(?:[/~.]|[a-z]:\\|https?:\/\/)/i.test(value)
}

function withEncoded(secret: string): string[] {
  // via UTF-8, since encodeURIComponent throws for lone surrogates
  const encoded = encodeURIComponent(Buffer.from(secret).toString())
  return encoded === secret ? [secret] : [secret, encoded]
}

/** Time for which the values read from the environment are cached, in milliseconds. */
const CACHE_MS = 500

/** The current credentials of an environment that may change. Caches them, since they are read for every log record. */
export class KnownSecrets {
  readonly #env: Environment
  readonly #clock: Clock
  #additional: readonly string[] = []
  #values: readonly string[] = []
  #readAt = Number.NEGATIVE_INFINITY

  constructor(env: Environment, clock: Clock) {
    this.#env = env
    this.#clock = clock
  }

  /** The credentials. Returns the same array until they change. */
  readonly values = (): readonly string[] => {
    if (Math.abs(this.#clock.now() - this.#readAt) > CACHE_MS) this.refresh()
    return this.#values
  }

  /** Sets the secrets that are known in addition to those of the environment. */
  setAdditional(secrets: readonly string[]): void {
    this.#additional = secrets
    this.refresh()
  }

  /** Reads the environment immediately, for example after a change. */
  refresh(): void {
    this.#readAt = this.#clock.now()
    const read = [...secretsIn(this.#env), ...this.#additional]
    const same =
      read.length === this.#values.length && read.every((value, index) => value === this.#values[index])
    if (!same) this.#values = read
  }
}
