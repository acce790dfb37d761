import type { Logger } from 'pino'
import { callToolForClient } from '../../agent/tools/call-tool-for-client.ts'
import type { RegisteredTool } from '../../agent/tools/registered-tools.ts'
import type { toolEndpoints, ToolSummary } from '../../contract/endpoints/tool.ts'
import { Decision } from '../../contract/access/decision.ts'
import { AppError } from '../../lib/errors.ts'
import { randomHexGenerator } from '../../lib/ids.ts'
import { compileSchema } from '../../lib/schema/schema.ts'
import { isConnectedMcpServer } from '../../mcp/connected/connected-server.ts'
import type { ConnectedMcpServer } from '../../mcp/connected/connected-server.ts'
import type { Handler } from '../reply/reply.ts'
import type { Services } from '../services.ts'
import { registeredToolsOf } from './mcp/registered-tools-of.ts'
import { runForClient } from '../request/request-lifetime.ts'

type Group = typeof toolEndpoints

const TRACE_ID_BYTES = 16

export function toolHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const randomHex = randomHexGenerator()
  const connected = () => services.current().config.mcpServers.filter(isConnectedMcpServer)
  const registered = () => registeredToolsOf(services.current().config)
  return {
    listTools: async ({ access }) => {
      await Promise.all(connected().map((server) => server.ready()))
      const entries = registered().map((entry) => ({ id: entry.tool.name, entry }))
      return (await access.readable(entries, 'tool')).map(({ entry }) => summarise(entry))
    },
    executeTool: async ({ params, body, user, access, raw, trace }) => {
      const { name } = params
      // the tools of a connected server are known once it is connected
      const owner = ownerOf(name, connected())
      if (!find(registered(), name)) await owner?.ready()
      const tool = find(registered(), name)?.tool
      if (!tool) throw notFound(name, owner)
      const { userId, conversationId, context = {}, approve } = body
      const approval = approve
        ? await Decision.decide(access.decider, { kind: 'tool', name, approvedBy: tool.access?.approvedBy })
        : undefined
      const traceId = trace.spanIds?.traceId ?? randomHex(TRACE_ID_BYTES)
      const logger = services.logger.child({ traceId, toolName: tool.name })
      const startedAt = performance.now()
      try {
        const result = await runForClient(services, raw.signal, (signal) =>
          callToolForClient(tool, body.input, {
            checkCall: (called) => access.toCall(called),
            approval,
            context: {
              signal,
              context,
              user,
              userId: user ? user.id : userId,
              conversationId,
              logger,
              trace,
            },
          }),
        )
        const durationMs = Math.round(performance.now() - startedAt)
        logger.info({ durationMs }, 'Tool executed')
        return { toolName: tool.name, result, durationMs, traceId }
      } catch (error) {
        throw toPublicError(error, { traceId, logger })
      }
    },
  }
}

/** The connected server that a tool name belongs to: the one with the longest id that is a prefix of it. */
function ownerOf(name: string, servers: readonly ConnectedMcpServer[]): ConnectedMcpServer | undefined {
  const owners = servers.filter(({ id }) => name.startsWith(`${id}_`))
  return owners.toSorted((one, other) => other.id.length - one.id.length)[0]
}

function find(tools: readonly RegisteredTool[], name: string): RegisteredTool | undefined {
  return tools.find(({ tool }) => tool.name === name)
}

function notFound(name: string, owner: ConnectedMcpServer | undefined): AppError {
  const error = owner?.connection?.error
  if (error === undefined) return new AppError('not_found', `Tool not found: ${name}`)
  return new AppError('unavailable', `MCP server "${owner?.id}" is not connected: ${error}`)
}

/** Logs the cause of a failed tool; the response has only the trace id. */
function toPublicError(error: unknown, { traceId, logger }: { traceId: string; logger: Logger }): unknown {
  if (!(error instanceof AppError)) return error
  if (error.code === 'conflict')
    return new AppError('conflict', `${error.message}: send "approve": true to approve it`)
  if (error.code !== 'execution_failed') return error
  logger.warn({ err: error.cause }, error.message)
  return new AppError(error.code, error.message, { headers: { 'X-Trace-Id': traceId } })
}

function summarise({ tool, ...origin }: RegisteredTool): ToolSummary {
  const { name, description, inputSchema, outputSchema, access } = tool
  return {
    name,
    description,
    inputSchema: compileSchema(inputSchema).input,
    ...(outputSchema && { outputSchema: compileSchema(outputSchema).output }),
    callable: access?.callable !== false,
    ...origin,
    agents: [...origin.agents],
  }
}
