import { OBSERVABILITY_KEYS } from '../keys/setup-observability.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What is exported, as in the names of the variables. */
export type Signal = 'TRACES' | 'METRICS'

/** Settings of the export of one signal: OTLP over HTTP, from OpenTelemetry's environment variables. */
export interface ExportSettings {
  readonly url: string
  /** The URL without credentials and query, for the status. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly encoding: 'json' | 'protobuf'
  readonly gzip: boolean
  /** PEM files: the CA certificate, the client certificate and its key. */
  readonly tls: Readonly<Partial<Record<'ca' | 'cert' | 'key', string>>>
  /** Time limit of one request, in milliseconds. */
  readonly timeoutMs: number
  /** Service name and resource attributes. */
  readonly resource: Readonly<Record<string, string>>
}

/** A reason why the settings can't be used. */
export interface ExportProblem {
  readonly problem: string
}

/** OpenTelemetry's default, and a maximum that does not hold the queue for long. */
const TIMEOUT_MS = 10_000
const MAX_TIMEOUT_MS = 60_000

/** The export settings in an environment; `undefined` when it has no endpoint for the signal. */
export function exportSettings(
  env: Environment,
  signal: Signal = 'TRACES',
): ExportSettings | ExportProblem | undefined {
  const variable = (name: string) => signalVariable(env, signal, name)
  const target = targetIn(env, signal)
  if (target === undefined) return undefined
  if ('problem' in target) return target
  const protocol = variable('PROTOCOL') ?? 'http/json'
  if (protocol !== 'http/json' && protocol !== 'http/protobuf')
    return { problem: `OTEL_EXPORTER_OTLP_PROTOCOL: "${protocol}" is not http/json or http/protobuf` }
  const { url } = target
  const credentials = takeCredentials(url, env)
  return {
    url: url.href,
    endpoint: url.origin + url.pathname,
    headers: {
      ...(isLangfuse(url) && { 'x-langfuse-ingestion-version': '4' }),
      ...(credentials !== undefined && { authorization: `Basic ${btoa64(credentials)}` }),
      ...otelHeaders(env['OTEL_EXPORTER_OTLP_HEADERS']),
      ...otelHeaders(env[`OTEL_EXPORTER_OTLP_${signal}_HEADERS`]),
    },
    encoding: protocol === 'http/json' ? 'json' : 'protobuf',
    gzip: variable('COMPRESSION') === 'gzip',
    tls: tlsIn(variable),
    timeoutMs: timeoutIn(variable('TIMEOUT')),
    resource: resourceIn(env),
  }
}

/** Whether both keys are set. */
export function hasKeys(env: Environment): boolean {
  return keysIn(env) !== undefined
}

function targetIn(env: Environment, signal: Signal): { readonly url: URL } | ExportProblem | undefined {
  if (isTrue(env['OTEL_SDK_DISABLED']) || text(env[`OTEL_${signal}_EXPORTER`]) === 'none') return undefined
  const ownName = `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`
  const own = text(env[ownName])
  const given = own ?? text(env['OTEL_EXPORTER_OTLP_ENDPOINT'])
  if (given === undefined) return undefined
  const name = own === undefined ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : ownName
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given))
    return { problem: `${name} is not an http(s) URL` }
  const url = new URL(given)
  // the variable of a signal has the full URL, the general one has the base URL of all signals
  if (own === undefined) url.pathname = `${basePath(url)}/v1/${signal.toLowerCase()}`
  // Langfuse has no endpoint for metrics
  return signal === 'METRICS' && isLangfuse(url) ? undefined : { url }
}

const LANGFUSE_PATH = '/api/public/otel'

function basePath(url: URL): string {
  const path = url.pathname.replace(/\/+$/, '')
  return path === '' && isLangfuseHost(url) ? LANGFUSE_PATH : path
}

function isLangfuseHost({ hostname }: URL): boolean {
  return hostname === 'langfuse.com' || hostname.endsWith('.langfuse.com')
}

/** Whether the URL is Langfuse's, which shows traces immediately with its header. Self-hosted: known by the path. */
function isLangfuse(url: URL): boolean {
  return isLangfuseHost(url) || url.pathname.includes(`${LANGFUSE_PATH}/`)
}

/** `name:password` from the URL or the keys. They are removed from the URL. */
function takeCredentials(url: URL, env: Environment): string | undefined {
  const { username, password } = url
  url.username = ''
  url.password = ''
  if (username !== '') return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return keysIn(env)
}

function keysIn(env: Environment): string | undefined {
  const publicKey = text(env[OBSERVABILITY_KEYS.publicKey])
  const secretKey = text(env[OBSERVABILITY_KEYS.secretKey])
  return publicKey !== undefined && secretKey !== undefined ? `${publicKey}:${secretKey}` : undefined
}

function btoa64(value: string): string {
  return Buffer.from(value).toString('base64')
}

function tlsIn(variable: (name: string) => string | undefined): ExportSettings['tls'] {
  const ca = variable('CERTIFICATE')
  const cert = variable('CLIENT_CERTIFICATE')
  const key = variable('CLIENT_KEY')
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  }
}

function timeoutIn(value: string | undefined): number {
  const given = Number(value ?? TIMEOUT_MS)
  return given > 0 ? Math.min(given, MAX_TIMEOUT_MS) : TIMEOUT_MS
}

/** Prometheus' usual interval is of this size; values are cumulative, so that a lost request is made up for by the next. */
const METRIC_INTERVAL_MS = 10_000
const MIN_METRIC_INTERVAL_MS = 100

/** The time between two exports of metrics, in milliseconds. */
export function metricInterval(env: Environment): number {
  const given = Number(text(env['OTEL_METRIC_EXPORT_INTERVAL']) ?? METRIC_INTERVAL_MS)
  return given >= MIN_METRIC_INTERVAL_MS ? given : METRIC_INTERVAL_MS
}

function resourceIn(env: Environment): Record<string, string> {
  const name = text(env['OTEL_SERVICE_NAME'])
  const attributes = otelEnvList(env['OTEL_RESOURCE_ATTRIBUTES'])
  return { ...attributes, ...(name !== undefined && { 'service.name': name }) }
}

/** The variable for the signal, or else the one for all signals. */
function signalVariable(env: Environment, signal: Signal, name: string): string | undefined {
  return text(env[`OTEL_EXPORTER_OTLP_${signal}_${name}`]) ?? text(env[`OTEL_EXPORTER_OTLP_${name}`])
}

function isTrue(value: string | undefined): boolean {
  return text(value)?.toLowerCase() === 'true'
}

/** The value without blanks. An empty variable counts as not set, as OpenTelemetry specifies. */
function text(value: string | undefined): string | undefined {
  const trimmed = value?.trim()
  return trimmed === '' ? undefined : trimmed
}

/** The pairs of a list in OpenTelemetry's form: `key=value,key=value`, with percent-encoded values. */
function otelEnvList(list: string | undefined): Record<string, string> {
  const pairs = (list ?? '').split(',').flatMap((pair) => {
    const at = pair.indexOf('=')
    const key = pair.slice(0, at).trim()
    return at < 1 || key === '' ? [] : [[key, decodeValue(pair.slice(at + 1).trim())] as const]
  })
  return Object.fromEntries(pairs)
}

/** The pairs of a list as HTTP headers. Pairs that are no valid header are left out. */
function otelHeaders(list: string | undefined): Record<string, string> {
  const headers = Object.entries(otelEnvList(list)).filter(([name, value]) => isHeader(name, value))
  return Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]))
}

function isHeader(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}

function decodeValue(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    // the value is not percent-encoded
    return value
  }
}
