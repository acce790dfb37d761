import type { ToolContext } from '../../agent/tools/tool.ts'
import { AppError } from '../../lib/errors.ts'

/** What a resource is read for. */
export interface ReadContext extends Pick<ToolContext, 'signal' | 'user' | 'userId' | 'logger'> {
  /** As the client asked for it. */
  readonly uri: string
  /** What stands in the place of each `{name}` of the declared URI, decoded. */
  readonly params: Readonly<Record<string, string>>
}

/** What a resource is watched for. Its signal aborts when the client no longer listens. */
export type WatchContext = ReadContext

/** Something that MCP clients can read, such as a document. */
export interface McpResource {
  /** A URI of any scheme, such as `docs://returns`; with `{name}` in it, one for many resources: `orders://{id}`. */
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  /** `text/plain` for text, `application/octet-stream` for bytes and `application/json` for all else, if left out. */
  readonly mimeType?: string
  /** Gives text, bytes, or a value to be sent as JSON; `undefined` where there is no such resource. */
  readonly read: (context: ReadContext) => unknown
  /**
   * Calls `changed` whenever `read` would give something else, until the signal aborts. It runs once for each
   * client that subscribed and listens. Without it, a resource counts as changed when a reload makes it anew.
   */
  readonly watch?: (context: WatchContext, changed: () => void) => void | Promise<void>
}

/** A resource as the protocol has it (MCP 2025-11-25, server/resources). */
export type ResourceContents = { readonly uri: string; readonly mimeType: string } & (
  | { readonly text: string }
  | { readonly blob: string }
)

const PARAMETER = /\{([A-Za-z_]\w*)\}/g

export function isTemplate({ uri }: Pick<McpResource, 'uri'>): boolean {
  return uri.includes('{')
}

/** The resource that has a URI, and what stands for its parameters. Those without parameters come first. */
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

/** What a resource's `read` gave, as it is sent. */
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
    throw new AppError('execution_failed', 'read() must give text, bytes or a value that is JSON')
  return { uri, mimeType: mimeType ?? 'application/json', text }
}

/** Rules that a declared resource breaks. */
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
    // a stray % is no URI
    return undefined
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}
