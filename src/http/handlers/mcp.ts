import { executeTool } from '../../agent/execute-tool.ts'
import { generate } from '../../agent/generate.ts'
import type { mcpEndpoints } from '../../contract/mcp.ts'
import { mcpEndpoints as ENDPOINTS } from '../../contract/mcp.ts'
import type { User } from '../../contract/auth.ts'
import { AppError } from '../../lib/errors.ts'
import { answerMcp } from '../../mcp/answer.ts'
import { isConnectedMcpServer } from '../../mcp/connected-server.ts'
import { describeMcpServer, mcpTools, summariseMcpServer, type McpServer } from '../../mcp/describe.ts'
import { isServedMcpServer } from '../../mcp/served-server.ts'
import type { McpCalls } from '../../mcp/served-tools.ts'
import type { Handler } from '../reply.ts'
import { onceRead } from '../once-read.ts'
import type { Services } from '../services.ts'

type Group = typeof mcpEndpoints

export function mcpHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const servers = (): McpServer[] => {
    const { mcpServers } = services.served().config
    return mcpServers.flatMap((server) =>
      isServedMcpServer(server) || isConnectedMcpServer(server) ? [server] : [],
    )
  }
  const find = (id: string): McpServer => {
    const found = servers().find((server) => server.id === id)
    if (!found) throw new AppError('not_found', `MCP server not found: ${id}`)
    return found
  }
  return {
    listMcpServers: () => servers().map((server) => summariseMcpServer(server)),
    getMcpServer: ({ params }) =>
      describeMcpServer(find(params.serverId), (id) => ENDPOINTS.callMcpServer.path.replace(':serverId', id)),
    listMcpTools: ({ params }) => mcpTools(find(params.serverId)),
    callMcpServer: async ({ params, body, raw, user }) => {
      const server = find(params.serverId)
      if (server.kind === 'connected')
        throw new AppError('not_found', `MCP server not found: ${params.serverId} is served elsewhere`)
      return onceRead(services, async (stopping) => {
        const signal = AbortSignal.any([raw.signal, stopping])
        const request = new Request(raw.url, { method: 'POST', headers: raw.headers, signal })
        const { logger } = services
        return answerMcp({ server, request, body, logger, calls: callsFor(services, { user, signal }) })
      })
    },
  }
}

interface Caller {
  readonly user: User | undefined
  readonly signal: AbortSignal
}

function callsFor(services: Services, { user, signal }: Caller): McpCalls {
  const { logger, production, root } = services
  const who = { user, userId: user?.id, conversationId: undefined, signal, logger }
  return {
    tool: (tool, input) => executeTool(tool, input, { approved: false, context: { ...who, context: {} } }),
    agent: async (agent, prompt) =>
      (await generate(agent, { ...who, prompt, production, projectDir: root })).text,
    workflow: async ({ id }, input) => {
      const { stored, result } = await services.served().engine.control.execute(id, input, { user })
      // whoever waits for the result gets a failure to store from there
      stored.catch(() => undefined)
      return result()
    },
  }
}
