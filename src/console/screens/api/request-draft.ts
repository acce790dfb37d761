import { fillPath } from './api-description.ts'
import type { Services } from '../../services/services.ts'
import { clientCode, curlCode, credentialFor, fetchCode } from '../../code/request-code.ts'
import { isObject } from '../../form/json-schema.ts'
import type { Operation, ParameterLocation } from './api-description.ts'

/** The input of the request form. */
export interface RequestDraft {
  readonly values: Readonly<Record<ParameterLocation, unknown>>
  /** JSON text, or any text for custom routes. */
  readonly body: string | undefined
  /** Lines of `Name: value`. */
  readonly headers: string
  /** `a=b&c=d`, for custom routes, whose parameters are unknown. */
  readonly queryText: string
}

/** A request to send. */
export interface ReadyRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** Builds the request from the input. */
export function requestOf(operation: Operation, draft: RequestDraft, { addresses }: Services): ReadyRequest {
  const { values, body, queryText } = draft
  const path = fillPath(operation, (name) => textOf(memberOf(values.path, name)))
  const url = new URL(addresses.api + path.slice(1), addresses.origin)
  for (const [name, value] of entriesOf(values.query)) url.searchParams.append(name, value)
  for (const [name, value] of new URLSearchParams(queryText)) url.searchParams.append(name, value)
  const headers = { ...Object.fromEntries(entriesOf(values.header)), ...headersIn(draft.headers) }
  return { method: operation.method, url: url.href, headers, body }
}

/** The request as code, by language. */
export function requestCodes(
  operation: Operation,
  { draft, request, services }: { draft: RequestDraft; request: ReadyRequest; services: Services },
): Readonly<Record<string, string>> {
  const { credentials, addresses } = services
  const credential =
    operation.credentials.length === 0 ? undefined : credentialFor(credentials, credentialKindOf(operation))
  const coded = { ...request, credential }
  const body = parse(request.body)
  const client = operation.key !== undefined && {
    client: clientCode({
      key: operation.key,
      call: {
        params: Object.fromEntries(entriesOf(draft.values.path)),
        query: Object.fromEntries(entriesOf(draft.values.query)),
        headers: request.headers,
        ...(body !== undefined && { body }),
      },
      isStream: operation.isStream,
      baseUrl: new URL(addresses.api, addresses.origin).href,
      credential,
    }),
  }
  return { curl: curlCode(coded), fetch: fetchCode(coded), ...client }
}

/** The credential to prompt for after a 401. */
export function credentialKindOf({ access }: Operation): 'key' | 'token' {
  return access === 'user' ? 'token' : 'key'
}

/** Parses lines of `Name: value`; other lines are ignored. */
function headersIn(text: string): Record<string, string> {
  const lines = text.split('\n').map((line) => /^\s*([\w!#$%&'*+.^`|~-]+)\s*:\s*(.*?)\s*$/.exec(line))
  return Object.fromEntries(lines.flatMap((match) => (match ? [[match[1] ?? '', match[2] ?? '']] : [])))
}

function entriesOf(values: unknown): [string, string][] {
  return Object.entries(isObject(values) ? values : {})
    .map(([name, value]): [string, string] => [name, textOf(value)])
    .filter(([, value]) => value !== '')
}

function memberOf(values: unknown, name: string): unknown {
  return isObject(values) ? values[name] : undefined
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function parse(body: string | undefined): unknown {
  try {
    return body === undefined ? undefined : (JSON.parse(body) as unknown)
  } catch {
    // not JSON: shown as text
    return body
  }
}
