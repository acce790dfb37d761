import type { Logger } from 'pino'
import { executeTool } from '../../agent/execute-tool.ts'
import { registeredTools } from '../../agent/registered-tools.ts'
import type { RegisteredTool } from '../../agent/registered-tools.ts'
import type { toolEndpoints, ToolSummary } from '../../contract/tool.ts'
import { AppError } from '../../lib/errors.ts'
import { randomHexGenerator } from '../../lib/ids.ts'
import { compileSchema } from '../../lib/schema.ts'
import type { Handler } from '../reply.ts'
import type { Services } from '../services.ts'
import { untilEnd } from '../until-end.ts'

type Group = typeof toolEndpoints

const TRACE_ID_BYTES = 16

export function toolHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const randomHex = randomHexGenerator()
  return {
    listTools: () => registeredTools(services.served().config).map(summarise),
    executeTool: async ({ params, body, user, raw }) => {
      const { tool } = find(registeredTools(services.served().config), params.name)
      const { userId, conversationId, context = {}, approve: approved = false } = body
      const traceId = randomHex(TRACE_ID_BYTES)
      const logger = services.logger.child({ traceId, toolName: tool.name })
      const startedAt = performance.now()
      try {
        const result = await untilEnd(services, raw.signal, (signal) =>
          executeTool(tool, body.input, {
            approved,
            context: { signal, context, user, userId: user ? user.id : userId, conversationId, logger },
          }),
        )
        const durationMs = Math.round(performance.now() - startedAt)
        logger.info({ durationMs }, 'Tool executed')
        return { toolName: tool.name, result, durationMs, traceId }
      } catch (error) {
        throw failed(error, { traceId, logger })
      }
    },
  }
}

function find(tools: readonly RegisteredTool[], name: string): RegisteredTool {
  const found = tools.find(({ tool }) => tool.name === name)
  if (!found) throw new AppError('not_found', `Tool not found: ${name}`)
  return found
}

/** The cause goes to the log, under the trace; the answer names only that. */
function failed(error: unknown, { traceId, logger }: { traceId: string; logger: Logger }): unknown {
  if (!(error instanceof AppError) || error.code !== 'execution_failed') return error
  logger.warn({ err: error.cause }, error.message)
  return new AppError(error.code, error.message, { headers: { 'X-Trace-Id': traceId } })
}

function summarise({ tool, ...origin }: RegisteredTool): ToolSummary {
  const { name, description, inputSchema, outputSchema } = tool
  return {
    name,
    description,
    inputSchema: compileSchema(inputSchema).input,
    ...(outputSchema && { outputSchema: compileSchema(outputSchema).output }),
    ...origin,
    agents: [...origin.agents],
  }
}
