import type { ToolContext } from '../../agent/tools/tool.ts'
import { AppError } from '../../lib/errors.ts'

/** The context of a resource's `read`. */
export interface ReadContext extends Pick<ToolContext, 'signal' | 'user' | 'userId' | 'logger'> {
  /** The URI that the client requested. */
  readonly uri: string
  /** The decoded value of each `{name}` in the declared URI. */
  readonly params: Readonly<Record<string, string>>
}

/** The context of a resource's `watch`. Its signal aborts when the client unsubscribes or disconnects. */
export type WatchContext = ReadContext

/**
 * A resource that MCP clients can read, such as a document.
 *
 * @example
 * const order: McpResource = {
 *   uri: 'orders://{id}',
 *   name: 'order',
 *   read: ({ params }) => orders.get(params['id']),
 * }
 */
export interface McpResource {
  /** A URI of any scheme, such as `docs://returns`, or a URI template such as `orders://{id}`. */
  readonly uri: string
  /** Name of the resource. */
  readonly name: string
  /** Title for people. */
  readonly title?: string
  /** Description for people and models. */
  readonly description?: string
  /** Default: `text/plain` for strings, `application/octet-stream` for bytes, otherwise `application/json`. */
  readonly mimeType?: string
  /** Returns a string, a `Uint8Array` or a JSON value; `undefined` when the resource does not exist. */
  readonly read: (context: ReadContext) => unknown
  /**
   * Calls `changed` whenever `read` would return another value, until the signal aborts. Runs once for each client
   * that is subscribed and connected. Without it, clients are notified only when a reload recreates the resource.
   */
  readonly watch?: (context: WatchContext, changed: () => void) => void | Promise<void>
}

/** The contents of a resource in the protocol (MCP 2025-11-25, server/resources). */
export type ResourceContents = { readonly uri: string; readonly mimeType: string } & (
  | { readonly text: string }
  | { readonly blob: string }
)

const PARAMETER = /\{([A-Za-z_]\w*)\}/g

export function isTemplate({ uri }: Pick<McpResource, 'uri'>): boolean {
  return uri.includes('{')
}

/** The resource with this URI, and its parameters. Resources without parameters take precedence. */
export function findResource(
  resources: readonly McpResource[],
  uri: string,
): { readonly resource: McpResource; readonly params: Record<string, string> } | undefined {
  const exact = resources.find((resource) => resource.uri === uri)
  if (exact) return { resource: exact, params: {} }
  for (const resource of resources) {
    const params = isTemplate(resource) ? paramsOf(resource.uri, uri) : undefined
    if (params) return { resource, params }
  }
  return undefined
}

/** The value returned by a resource's `read`, as protocol contents. */
export function contentsOf({ mimeType }: McpResource, uri: string, value: unknown): ResourceContents {
  if (typeof value === 'string') return { uri, mimeType: mimeType ?? 'text/plain', text: value }
  if (value instanceof Uint8Array)
    return {
      uri,
      mimeType: mimeType ?? 'application/octet-stream',
      blob: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'),
    }
  const text = JSON.stringify(value) as string | undefined
  if (text === undefined)
    throw new AppError('execution_failed', 'read() must return a string, a Uint8Array or a JSON value')
  return { uri, mimeType: mimeType ?? 'application/json', text }
}

/** Problems of a resource's declaration. */
export function resourceProblems(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return ['must be an object with uri, name and read']
  const { uri, name, read, watch } = value as Partial<McpResource>
  return [
    ...(isUri(uri) ? [] : ['uri must be a URI such as "docs://returns" or "orders://{id}"']),
    ...(typeof name === 'string' && name.trim() !== '' ? [] : ['a name is required']),
    ...(typeof read === 'function' ? [] : ['read must be a function']),
    ...(watch === undefined || typeof watch === 'function' ? [] : ['watch must be a function']),
  ]
}

function isUri(uri: unknown): boolean {
  if (typeof uri !== 'string') return false
  const filled = uri.replaceAll(PARAMETER, 'x')
  return !/[{}\s]/.test(filled) && URL.canParse(filled)
}

function paramsOf(template: string, uri: string): Record<string, string> | undefined {
  const names = [...template.matchAll(PARAMETER)].map(([, name = '']) => name)
  const pattern = template.split(PARAMETER).map((part, index) => (index % 2 ? '([^/?#]+)' : escaped(part)))
  const found = new RegExp(`^${pattern.join('')}$`).exec(uri)
  if (!found) return undefined
  try {
    return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(found[index + 1] ?? '')]))
  } catch {
    // a % without two hex digits is not a valid URI
    return undefined
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}
