import type { Client } from '@modelcontextprotocol/client'
import type {
  McpListedPrompt,
  McpListedResource,
  McpPromptMessages,
  McpResourceContents,
  McpResourceTemplate,
} from '../../contract/endpoints/mcp.ts'
import { AppError } from '../../lib/errors.ts'
import type { ErrorCode } from '../../lib/errors.ts'
import { listedPrompt, listedResource, listedTemplate } from '../listed-content.ts'
import type { RequestContext } from './calls-in-flight.ts'
import { reasonOf, serverErrorCode } from './connection-errors.ts'
import type { McpConnection } from './connection.ts'

type Kind = 'resources' | 'prompts'

interface RequestOptions {
  readonly signal: AbortSignal
  readonly timeout: number
}

interface ContentRequest {
  readonly kind: Kind
  readonly method: 'resources/read' | 'prompts/get'
  /** The URI of the resource or the name of the prompt. */
  readonly target: string
}

/** The parameters of a request for a page. */
interface PageParams {
  readonly params: { readonly cursor?: string }
}

const TIMEOUT_MS = 60_000

/** The JSON-RPC error of a request with a missing or invalid parameter, also a URI or name that does not exist. */
const INVALID_PARAMS = -32_602

/** The JSON-RPC error of a method that the server does not have. */
const METHOD_NOT_FOUND = -32_601

/** The error of a resource that does not exist, in MCP revisions before 2026. */
const RESOURCE_NOT_FOUND = -32_002

const NOT_FOUND: ReadonlySet<number> = new Set([METHOD_NOT_FOUND, RESOURCE_NOT_FOUND])

/** Reads the resources and prompts of a connected server, each time from the server. */
export class RemoteContent {
  readonly #serverId: string
  readonly #connection: McpConnection

  constructor(serverId: string, connection: McpConnection) {
    this.#serverId = serverId
    this.#connection = connection
  }

  /** @throws AppError `unavailable` when the server is not connected, does not respond or its list is too long. */
  resources(context: RequestContext): Promise<McpListedResource[]> {
    const method = 'resources/list'
    return this.#list('resources', method, context, async (client, page, options) => {
      const { resources, nextCursor } = await client.request({ method, ...page }, options)
      return { entries: resources.map((resource) => listedResource(resource)), nextCursor }
    })
  }

  /** @throws AppError as `resources`. */
  resourceTemplates(context: RequestContext): Promise<McpResourceTemplate[]> {
    const method = 'resources/templates/list'
    return this.#list('resources', method, context, async (client, page, options) => {
      const { resourceTemplates, nextCursor } = await client.request({ method, ...page }, options)
      return { entries: resourceTemplates.map((template) => listedTemplate(template)), nextCursor }
    })
  }

  /** @throws AppError as `resources`. */
  prompts(context: RequestContext): Promise<McpListedPrompt[]> {
    const method = 'prompts/list'
    return this.#list('prompts', method, context, async (client, page, options) => {
      const { prompts, nextCursor } = await client.request({ method, ...page }, options)
      return { entries: prompts.map((prompt) => listedPrompt(prompt)), nextCursor }
    })
  }

  /**
   * @throws AppError `not_found` without such a resource; `unavailable`; `execution_failed` for the server's other
   *   errors.
   */
  async readResource(uri: string, context: RequestContext): Promise<McpResourceContents> {
    const method = 'resources/read'
    try {
      return await this.#read(
        { kind: 'resources', method, target: uri },
        context,
        async (client, options, _meta) => {
          const { contents } = await client.request({ method, params: { uri, _meta } }, options)
          return { contents: contents.map((content) => contentOf(content)) }
        },
      )
    } catch (error) {
      throw this.#translate(error, 'not_found')
    }
  }

  /**
   * @throws AppError `not_found` without such a prompt; `invalid_input` when its arguments are not valid; `unavailable`;
   *   `execution_failed` for the server's other errors.
   */
  async getPrompt(
    name: string,
    values: Readonly<Record<string, string>>,
    context: RequestContext,
  ): Promise<McpPromptMessages> {
    const method = 'prompts/get'
    try {
      return await this.#read(
        { kind: 'prompts', method, target: name },
        context,
        async (client, options, _meta) => {
          const params = { name, arguments: values, _meta }
          const { description = null, messages } = await client.request({ method, params }, options)
          return { description, messages: messages.map(({ role, content }) => ({ role, content })) }
        },
      )
    } catch (error) {
      if (serverErrorCode(error) !== INVALID_PARAMS) throw this.#translate(error, 'invalid_input')
      // the protocol has one code for an unknown prompt and for invalid arguments
      const known = await this.prompts(context)
      throw this.#translate(
        error,
        known.some((prompt) => prompt.name === name) ? 'invalid_input' : 'not_found',
      )
    }
  }

  /** The list is empty when the server does not have the capability or the method. */
  async #list<T>(
    kind: Kind,
    method: string,
    { signal }: RequestContext,
    request: (client: Client, page: PageParams, options: RequestOptions) => Promise<ListPage<T>>,
  ): Promise<T[]> {
    try {
      return await listPages(kind, (cursor) =>
        this.#connection.request(
          { method, target: '', timeoutMs: TIMEOUT_MS },
          { signal },
          async (client, options) =>
            client.getServerCapabilities()?.[kind]
              ? request(client, { params: cursor === undefined ? {} : { cursor } }, options)
              : { entries: [], nextCursor: undefined },
        ),
      )
    } catch (error) {
      // a server with resources may have no templates
      if (serverErrorCode(error) === METHOD_NOT_FOUND) return []
      throw this.#translate(error, 'execution_failed')
    }
  }

  async #read<T>(
    { kind, method, target: of }: ContentRequest,
    context: RequestContext,
    request: (client: Client, options: RequestOptions, meta: Record<string, string>) => Promise<T>,
  ): Promise<T> {
    const target = { method, target: of, timeoutMs: TIMEOUT_MS }
    const content = await this.#connection.request(target, context, async (client, { span, ...options }) =>
      client.getServerCapabilities()?.[kind] ? request(client, options, span.toHeaders()) : undefined,
    )
    if (content === undefined)
      throw new AppError('not_found', `MCP server "${this.#serverId}" has no ${kind}`)
    return content
  }

  /** Translates an error response of the server. `invalid` is the code for invalid parameters. */
  #translate(error: unknown, invalid: ErrorCode): unknown {
    const code = serverErrorCode(error)
    if (code === undefined) return error
    const translated =
      code === INVALID_PARAMS ? invalid : NOT_FOUND.has(code) ? 'not_found' : 'execution_failed'
    const reason = this.#connection.redact(reasonOf(error))
    return new AppError(translated, `MCP server "${this.#serverId}": ${reason}`, { cause: error })
  }
}

type Content = McpResourceContents['contents'][number]

function contentOf(
  content: { uri: string; mimeType?: string | undefined } & ({ text: string } | { blob: string }),
): Content {
  const { uri, mimeType = null } = content
  return { uri, mimeType, ...('blob' in content ? { blob: content.blob } : { text: content.text }) }
}

/** The maximum number of entries of a list. */
const MAX_ENTRIES = 10_000

/** The maximum number of pages of a list, and so of requests. */
const MAX_PAGES = 1000

/** The maximum size of a list as JSON, in characters. */
const MAX_LIST_SIZE = 10 * 1024 * 1024

interface ListPage<T> {
  readonly entries: readonly T[]
  readonly nextCursor: string | undefined
}

/**
 * Requests the pages of a server's list one after the other.
 *
 * @throws AppError `unavailable` when the list exceeds a limit or returns a cursor twice: it may never end.
 */
async function listPages<T>(
  list: string,
  request: (cursor: string | undefined) => Promise<ListPage<T>>,
): Promise<T[]> {
  const all: T[] = []
  const cursors = new Set<string>()
  let size = 0
  for (let cursor: string | undefined; ;) {
    const { entries, nextCursor } = await request(cursor)
    all.push(...entries)
    size += JSON.stringify(entries).length
    if (nextCursor === undefined) return all
    if (cursors.has(nextCursor)) throw endless(list, 'a page is repeated')
    cursors.add(nextCursor)
    if (all.length >= MAX_ENTRIES) throw endless(list, `more than ${MAX_ENTRIES} entries`)
    if (cursors.size >= MAX_PAGES) throw endless(list, `more than ${MAX_PAGES} pages`)
    if (size >= MAX_LIST_SIZE) throw endless(list, `more than ${MAX_LIST_SIZE} bytes`)
    cursor = nextCursor
  }
}

function endless(list: string, reason: string): AppError {
  return new AppError('unavailable', `The list of ${list} is too long: ${reason}`)
}
