import type { Client } from '@modelcontextprotocol/client'
import { createTaskSessionFromClient } from '@modelcontextprotocol/ext-tasks/client'
import type { TaskEnabledSession, WithTasksOptions } from '@modelcontextprotocol/ext-tasks/client'
import { connectClient } from './mcp-client.ts'
import type { Message } from './mcp-session.ts'

const REVISION = '2026-07-28'
const CLIENT_INFO = { name: 'test', version: '1' }
export const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

interface RpcOptions {
  readonly url: string
  readonly user?: string
  /** The capabilities of the client. Default: tasks. */
  readonly capabilities?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/** Sends a JSON-RPC request of revision 2026-07-28 as it is, and returns the response. */
export async function sendRpc(
  { url, user = 'grace', capabilities = TASKS, headers, signal }: RpcOptions,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<Message & { readonly status: number }> {
  const name = params['taskId'] ?? params['name']
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
  const sent = new Headers({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${user}`,
    'mcp-protocol-version': REVISION,
    'mcp-method': method,
    ...(typeof name === 'string' && /^[\x21-\x7e]*$/.test(name) && { 'mcp-name': name }),
  })
  for (const [header, value] of Object.entries(headers ?? {})) sent.set(header, value)
  const response = await fetch(url, {
    method: 'POST',
    headers: sent,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta, ...params } }),
    signal: signal ?? null,
  })
  const text = await response.text()
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  const json = isStream ? ([...text.matchAll(/^data: (.*)$/gm)].at(-1)?.[1] ?? '') : text
  return { ...(JSON.parse(json) as Message), status: response.status }
}

interface SessionOptions extends WithTasksOptions, Pick<RpcOptions, 'url' | 'user'> {
  readonly capabilities?: Readonly<Record<string, Record<string, never>>>
}

interface TaskClient {
  readonly client: Client
  readonly session: TaskEnabledSession
}

/** The client of the tasks extension, on a client of the SDK, which sends no tasks of this revision by itself. */
export async function openTaskSession(options: SessionOptions): Promise<TaskClient> {
  const { url, user = 'grace', capabilities = { elicitation: {} }, ...rest } = options
  const client = await connectClient(url, { user, capabilities })
  const session = createTaskSessionFromClient(client, {
    ...rest,
    endpointId: url,
    v2RequestFraming: {
      protocolVersion: REVISION,
      clientInfo: CLIENT_INFO,
      clientCapabilities: capabilities,
    },
    rawDispatch: async (request, { signal, context } = {}) => {
      const { method, params } = request as { method: string; params: Record<string, unknown> }
      const headers = context?.headers ?? {}
      const { result, error } = await sendRpc({ url, user, headers, signal }, method, params)
      return error ? { kind: 'error', error } : { kind: 'result', result: result as never }
    },
  })
  return { client, session }
}
