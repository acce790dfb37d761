import type { Logger } from 'pino'
import { callToolForClient } from '../../../agent/tools/call-tool-for-client.ts'
import type { User } from '../../../contract/auth.ts'
import type { LogRecord } from '../../../contract/endpoints/log.ts'
import { subAgentToolName } from '../../../agent/sub-agent.ts'
import { withMcpSpan } from '../../../mcp/mcp-span.ts'
import { workflowToolName } from '../../../mcp/tool-name.ts'
import type { TraceScope } from '../../../lib/telemetry/trace-scope.ts'
import type { McpCalls } from '../../../mcp/served/served-tools.ts'
import type { Services } from '../../services.ts'

export interface McpCaller {
  readonly serverId: string
  readonly user: User | undefined
  /** Aborts when nobody waits for an answer any more. */
  readonly signal: AbortSignal
  /** Aborts when the client took its request back. */
  readonly cancelled: AbortSignal
  /** What the calls are below. */
  readonly trace: TraceScope
}

/**
 * Runs what a client of a served MCP server asks for, on record like any other call. Tools and agents end when
 * the client leaves; an execution goes on, and is cancelled only when the client takes its request back.
 */
export function mcpCalls(services: Services, caller: McpCaller): McpCalls {
  const { user, signal, cancelled, serverId } = caller
  const { agents, executions } = services.current().engine
  const logger = services.logger.child({ mcpServer: serverId })
  const who = { user, userId: user?.id, signal, logger }
  const called = <T>(method: string, target: string, run: (trace: TraceScope) => Promise<T>) =>
    withMcpSpan(caller.trace, { serverId, method, target, kind: 'server' }, run)
  const execute = async (id: string, input: unknown, trace: TraceScope) => {
    const { executionId, result } = await executions.execute(id, input, { user, trace })
    const cancel = () =>
      void executions.cancel({ executionId }, 'Cancelled by the MCP client').catch((error: unknown) => {
        logger.debug({ err: error, executionId }, 'An execution could not be cancelled')
      })
    cancelled.addEventListener('abort', cancel, { once: true })
    return result().finally(() => cancelled.removeEventListener('abort', cancel))
  }
  return {
    tool: (tool, input, { onLog, ...more }) =>
      called('tools/call', tool.name, (trace) => {
        const asked = { conversationId: undefined, context: {}, ...more }
        const run = (ownLogger: Logger) => {
          const context = { ...who, ...asked, trace, logger: ownLogger }
          return callToolForClient(tool, input, { approved: false, context })
        }
        const ownLogger = logger.child({ toolName: tool.name })
        return onLog ? overheard(services, ownLogger, { onLog, run }) : run(ownLogger)
      }),
    resource: (resource, found) =>
      called('resources/read', found.uri, (trace) =>
        trace.run(async () => resource.read({ ...who, ...found })),
      ),
    prompt: (prompt, values) =>
      called('prompts/get', prompt.name, (trace) => trace.run(async () => prompt.get(values, who))),
    agent: (agent, { prompt: input, conversationId }) =>
      called('tools/call', subAgentToolName(agent), async (trace) => {
        const options = conversationId === undefined ? {} : { conversationId }
        const call = { input, inputPath: 'input.prompt', options, user, signal, trace }
        return (await agents.text(agent.id, call)).text
      }),
    workflow: ({ id }, input) =>
      called('tools/call', workflowToolName(id), (trace) => execute(id, input, trace)),
  }
}

interface Overheard<T> {
  readonly onLog: (record: LogRecord) => void
  readonly run: (logger: Logger) => Promise<T>
}

/** Tells what is logged with a logger of its own while something runs. */
function overheard<T>(services: Services, logger: Logger, { onLog, run }: Overheard<T>): Promise<T> {
  const mcpCall = services.newId()
  const stop = services.logFeed.subscribe((record) => {
    if (record.attributes['mcpCall'] === mcpCall) onLog(record)
  })
  return run(logger.child({ mcpCall })).finally(stop)
}
