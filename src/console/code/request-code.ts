import type { AnyCall } from '../api/call.ts'
import type { WorkflowDetail } from '../../contract/endpoints/workflow.ts'
import { examplesIn } from '../../contract/schema-examples.ts'

/**
 * The command that runs a workflow with an input that its schema accepts: the schema's first example or default, or
 * `{}` when no member is required. Undefined if there is none.
 */
export function runCommand({
  id,
  inputSchema,
}: Pick<WorkflowDetail, 'id' | 'inputSchema'>): string | undefined {
  const input = acceptedInput(inputSchema)
  if (input === undefined) return undefined
  return `npx agentserver run-workflow ${shellQuote(id)} --input ${shellQuote(JSON.stringify(input))}`
}

function acceptedInput(schema: WorkflowDetail['inputSchema']): unknown {
  const { examples: _, default: byDefault, ...rest } = schema
  const [example] = examplesIn(schema)
  return example ?? byDefault ?? (acceptsEmpty(rest) ? {} : undefined)
}

/** Keywords that don't refuse `{}`. */
const HARMLESS = new Set(['$schema', 'title', 'description', 'type', 'properties', 'additionalProperties'])

function acceptsEmpty(schema: Readonly<Record<string, unknown>>): boolean {
  return (schema['type'] ?? 'object') === 'object' && Object.keys(schema).every((key) => HARMLESS.has(key))
}

interface ClientCall {
  /** The endpoint's key in the client. */
  readonly key: string
  readonly call: Omit<AnyCall, 'signal'>
  readonly isStream: boolean
  readonly baseUrl: string
  readonly credential?: CodeCredential
}

const CREDENTIAL_OPTIONS = {
  bypass: ', dev: true',
  key: ', consoleKey: process.env.SERVICE_CONSOLE_ACCESS_KEY',
  token: ', token: process.env.ACCESS_TOKEN',
} as const

/** A call as TypeScript with `agentserver/client`. */
export function clientCode({ key, call, isStream, baseUrl, credential }: ClientCall): string {
  const defined = Object.fromEntries(
    Object.entries(call).filter(([, part]) => part !== undefined && !isEmpty(part)),
  )
  const argument = Object.keys(defined).length === 0 ? '' : JSON.stringify(defined, null, 2)
  const invoked = `client.${key}(${argument})`
  return [
    "import { createClient } from 'agentserver/client'",
    '',
    `const client = createClient({ baseUrl: ${JSON.stringify(baseUrl)}${credential ? CREDENTIAL_OPTIONS[credential] : ''} })`,
    isStream ? `for await (const event of ${invoked}) console.log(event)` : `const data = await ${invoked}`,
  ].join('\n')
}

function isEmpty(part: unknown): boolean {
  return typeof part === 'object' && part !== null && Object.keys(part).length === 0
}

/** A request as JavaScript with `fetch`. Secrets are environment variables. */
export function fetchCode(request: RequestCode): string {
  const { method, url, body } = request
  const headers = headerLines(request)
  const isPlain = method === 'GET' && headers.length === 0
  const init = [
    ...(method === 'GET' ? [] : [`  method: ${JSON.stringify(method)},`]),
    ...(headers.length === 0 ? [] : [`  headers: {\n${headers.join('\n')}\n  },`]),
    ...(body === undefined ? [] : [`  body: ${bodyText(body)},`]),
  ]
  const call = isPlain ? '' : `, {\n${init.join('\n')}\n}`
  return `const response = await fetch(${JSON.stringify(url)}${call})`
}

function headerLines({ headers = {}, body, credential }: RequestCode): string[] {
  const named = Object.keys(headers).map((name) => name.toLowerCase())
  const lines = Object.entries(headers).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  )
  if (body !== undefined && !named.includes('content-type'))
    lines.unshift("    'Content-Type': 'application/json',")
  if (credential === 'bypass') lines.push("    'x-service-dev': 'true',")
  if (credential === 'key') lines.push("    'x-console-access-key': process.env.SERVICE_CONSOLE_ACCESS_KEY,")
  if (credential === 'token') lines.push('    Authorization: `Bearer ${process.env.ACCESS_TOKEN}`,')
  return lines
}

/** A JSON body as a value, any other as a string. */
function bodyText(body: string): string {
  try {
    const value = JSON.stringify(JSON.parse(body), null, 2)
    return `JSON.stringify(${value.replaceAll('\n', '\n  ')})`
  } catch {
    return JSON.stringify(body)
  }
}

/** A request as a curl command for a POSIX shell. Secrets are shell variables. */
export function curlCode({ method, url, headers = {}, body, credential }: RequestCode): string {
  const named = Object.keys(headers).map((name) => name.toLowerCase())
  const sent = [
    ...(body !== undefined && !named.includes('content-type') ? ["-H 'Content-Type: application/json'"] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
    ...credentialOption(credential),
  ]
  const parts = [
    // -N: prints events without buffering
    `curl -sN ${method === (body === undefined ? 'GET' : 'POST') ? '' : `-X ${method} `}${shellQuote(url)}`,
    ...sent,
    ...(body === undefined ? [] : [`-d ${shellQuote(body)}`]),
  ]
  return parts.join(' \\\n  ')
}

function credentialOption(credential: CodeCredential): string[] {
  if (credential === 'bypass') return ["-H 'x-service-dev: true'"]
  if (credential === 'key') return ['-H "x-console-access-key: $SERVICE_CONSOLE_ACCESS_KEY"']
  return credential === 'token' ? ['-H "Authorization: Bearer $ACCESS_TOKEN"'] : []
}

/** Quotes a text as one word of a POSIX shell. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** The credential of a copied request: code refers to it by name and never contains it. */
export type CodeCredential = 'key' | 'token' | 'bypass' | undefined

/** A request to show as code. */
interface RequestCode {
  readonly method: string
  /** Absolute. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** The raw body. */
  readonly body?: string | undefined
  readonly credential?: CodeCredential
}

/** The credentials of this page. */
interface HeldCredentials {
  readonly bypass: boolean
  get(kind: 'key' | 'token'): string | undefined
}

/** The credential that a copied request needs: the one that this page sends. */
export function credentialFor(held: HeldCredentials, kind: 'key' | 'token'): CodeCredential {
  if (held.bypass) return 'bypass'
  return held.get(kind) === undefined ? undefined : kind
}
