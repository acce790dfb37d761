import { CONSOLE_KEY_HEADER, CREDENTIAL_HEADERS, consoleKey } from '../../../auth/credentials.ts'
import { isOnThisMachine } from '../../../auth/local-peer.ts'
import { PROJECT_TOKEN_HEADER } from '../../../auth/project-token.ts'
import { createApiClient } from '../../../client/api.ts'
import type { CallerAccess } from '../../../auth/caller-access.ts'
import type { mcpEndpoints } from '../../../contract/endpoints/mcp.ts'
import { abortable } from '../../../lib/async/abortable.ts'
import { createDeferred } from '../../../lib/async/wake-up.ts'
import { AppError } from '../../../lib/errors.ts'
import type { CodingServer, Reported } from '../../../mcp/coding/coding-tool.ts'
import type { RequestConnection, Handler, ValidRequest } from '../../reply/reply.ts'
import { streamResponse } from '../../request/request-lifetime.ts'
import type { Services } from '../../services.ts'

type Endpoint = (typeof mcpEndpoints)['callCodingServer']
type Message = ValidRequest<Endpoint>

/** Makes a request to the app, as one that arrived on a connection. */
export type Dispatch = (request: Request, env: RequestConnection) => Promise<Response>

/** The headers that decide what a request may do. */
const FORWARDED = [...CREDENTIAL_HEADERS, PROJECT_TOKEN_HEADER, 'origin', 'sec-fetch-site']

/**
 * Handles the MCP server for coding agents. Its tools make requests to the app with the credentials and the connection
 * of their caller, so that they can do nothing that the caller could not.
 */
export function codingEndpoint(services: Services, dispatch: Dispatch): Handler<Endpoint> {
  const reported = new Map<string, Reported>()
  return (message) => {
    // pins are kept under dev only, as this is
    if (!services.pins) throw new AppError('not_found', 'MCP server not found: dev')
    if (!isOnThisMachine(message.env?.incoming?.socket))
      throw new AppError('forbidden', 'The tools for coding agents are for programs on this machine')
    const server = codingServer(message, { services, dispatch, reported })
    // a call that waits for a save must not keep the code before it in memory
    return streamResponse(
      services,
      (stopping) => respond(message, server, stopping),
      () => undefined,
    )
  }
}

/** The SDK is imported with the first request. */
async function respond(
  { raw, body }: Message,
  server: CodingServer,
  stopping: AbortSignal,
): Promise<Response> {
  const [mcp, { createCodingServer, runCodingTool }, { CODING_TOOLS }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('../../../mcp/coding/coding-server.ts'),
    import('../../../mcp/coding/coding-tools.ts'),
  ])
  const ended = AbortSignal.any([raw.signal, stopping])
  const create = () =>
    createCodingServer(mcp, {
      tools: CODING_TOOLS,
      call: (tool, input, signal) =>
        runCodingTool(tool, input, { server, signal: AbortSignal.any([signal, ended]) }),
    })
  const request = new Request(raw.url, { method: raw.method, headers: raw.headers, signal: ended })
  return mcp.createMcpHandler(create).fetch(request, { parsedBody: body })
}

interface Deps {
  readonly services: Services
  readonly dispatch: Dispatch
  readonly reported: Map<string, Reported>
}

function codingServer({ raw, env, access }: Message, { services, dispatch, reported }: Deps): CodingServer {
  const url = new URL(raw.url)
  const key = consoleKey(raw.headers, url.searchParams)
  const fetch = (request: Request) => {
    for (const name of FORWARDED) {
      const value = raw.headers.get(name)
      if (value !== null) request.headers.set(name, value)
    }
    if (key !== undefined) request.headers.set(CONSOLE_KEY_HEADER, key)
    return dispatch(request, env)
  }
  return {
    client: createApiClient({ baseUrl: url.origin, fetch }),
    lastLoad: () => services.configChanges()[0],
    nextChange: (signal) => {
      const changed = createDeferred<void>()
      const stop = services.onProjectChange(changed.resolve)
      return abortable(changed.promise, signal).finally(stop)
    },
    checkOpen: (limit) => checkOpen(limit, { services, access }),
    evalEnd: async (runId, signal) => {
      for await (const _ of await services.evals.follow(runId, 0, signal));
    },
    reported,
  }
}

/** How the open executions fit the code. The examples are those that the caller may read. */
async function checkOpen(
  limit: number,
  { services, access }: { readonly services: Services; readonly access: CallerAccess },
): Promise<object> {
  const found = await services.current().engine.executions.checkOpen(limit)
  const workflows = found.map(async ({ examples, ...fit }) => {
    const isReadable = await Promise.all(examples.map(({ executionId }) => access.canRead(executionId)))
    return { ...fit, examples: examples.filter((_, index) => isReadable[index]) }
  })
  return { workflows: await Promise.all(workflows) }
}
