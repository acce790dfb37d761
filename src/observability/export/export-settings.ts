import { OBSERVABILITY_KEYS } from '../keys/setup-observability.ts'
import { otelHeaders, otelEnvList } from './otel-env-list.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Settings of the trace export: OTLP over HTTP, from OpenTelemetry's environment variables. */
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

const TIMEOUT_MS = 10_000
const MAX_TIMEOUT_MS = 60_000

/** The export settings in an environment; `undefined` when it has no endpoint. */
export function exportSettings(env: Environment): ExportSettings | ExportProblem | undefined {
  const target = targetIn(env)
  if (target === undefined) return undefined
  if ('problem' in target) return target
  const protocol = signalVariable(env, 'PROTOCOL') ?? 'http/json'
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
      ...otelHeaders(env['OTEL_EXPORTER_OTLP_TRACES_HEADERS']),
    },
    encoding: protocol === 'http/json' ? 'json' : 'protobuf',
    gzip: signalVariable(env, 'COMPRESSION') === 'gzip',
    tls: tlsIn(env),
    timeoutMs: timeoutIn(env),
    resource: resourceIn(env),
  }
}

/** Whether both keys are set. */
export function hasKeys(env: Environment): boolean {
  return keysIn(env) !== undefined
}

function targetIn(env: Environment): { readonly url: URL } | ExportProblem | undefined {
  if (isTrue(env['OTEL_SDK_DISABLED']) || text(env['OTEL_TRACES_EXPORTER']) === 'none') return undefined
  const own = text(env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'])
  const base = text(env['OTEL_EXPORTER_OTLP_ENDPOINT'])
  const given = own ?? base
  if (given === undefined) return undefined
  const name = own === undefined ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given))
    return { problem: `${name} is not an http(s) URL` }
  const url = new URL(given)
  // the variable for traces has the full URL, the general one has the base URL of all signals
  if (own === undefined) url.pathname = `${basePath(url)}/v1/traces`
  return { url }
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

function tlsIn(env: Environment): ExportSettings['tls'] {
  const ca = signalVariable(env, 'CERTIFICATE')
  const cert = signalVariable(env, 'CLIENT_CERTIFICATE')
  const key = signalVariable(env, 'CLIENT_KEY')
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  }
}

function timeoutIn(env: Environment): number {
  const given = Number(signalVariable(env, 'TIMEOUT') ?? TIMEOUT_MS)
  return given > 0 ? Math.min(given, MAX_TIMEOUT_MS) : TIMEOUT_MS
}

function resourceIn(env: Environment): Record<string, string> {
  const name = text(env['OTEL_SERVICE_NAME'])
  const attributes = otelEnvList(env['OTEL_RESOURCE_ATTRIBUTES'])
  return { ...attributes, ...(name !== undefined && { 'service.name': name }) }
}

/** The variable for traces, or else the one for all signals. */
function signalVariable(env: Environment, name: string): string | undefined {
  return text(env[`OTEL_EXPORTER_OTLP_TRACES_${name}`]) ?? text(env[`OTEL_EXPORTER_OTLP_${name}`])
}

function isTrue(value: string | undefined): boolean {
  return text(value)?.toLowerCase() === 'true'
}

/** The value without blanks. An empty variable counts as not set, as OpenTelemetry specifies. */
function text(value: string | undefined): string | undefined {
  const trimmed = value?.trim()
  return trimmed === '' ? undefined : trimmed
}
