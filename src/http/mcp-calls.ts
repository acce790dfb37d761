import { executeTool } from '../agent/execute-tool.ts'
import type { User } from '../contract/auth.ts'
import type { McpCalls } from '../mcp/served-tools.ts'
import type { Services } from './services.ts'

export interface McpCaller {
  readonly serverId: string
  readonly user: User | undefined
  /** Aborts when nobody waits for an answer any more. */
  readonly signal: AbortSignal
  /** Aborts when the client took its request back. */
  readonly cancelled: AbortSignal
}

/**
 * Runs what a client of a served MCP server asks for, on record like any other call. Tools and agents end when
 * the client leaves; an execution goes on, and is cancelled only when the client takes its request back.
 */
export function mcpCalls(services: Services, { user, signal, cancelled, serverId }: McpCaller): McpCalls {
  const { agents, control } = services.served().engine
  const logger = services.logger.child({ mcpServer: serverId })
  const who = { user, userId: user?.id, signal, logger }
  return {
    tool: (tool, input, more) => {
      const asked = { conversationId: undefined, context: {}, ...more }
      const context = { ...who, ...asked, logger: logger.child({ toolName: tool.name }) }
      return executeTool(tool, input, { approved: false, context })
    },
    resource: async (resource, found) => resource.read({ ...who, ...found }),
    prompt: async (prompt, values) => prompt.get(values, who),
    agent: async ({ id }, { prompt: input, conversationId }) => {
      const options = conversationId === undefined ? {} : { conversationId }
      return (await agents.text(id, { input, root: 'input.prompt', options, user, signal })).text
    },
    workflow: async ({ id }, input) => {
      const { executionId, stored, result } = await control.execute(id, input, { user })
      // whoever waits for the result gets a failure to store from there
      stored.catch(() => undefined)
      const cancel = () =>
        void control.cancel({ executionId }, 'Cancelled by the MCP client').catch((error: unknown) => {
          logger.debug({ err: error, executionId }, 'An execution could not be cancelled')
        })
      cancelled.addEventListener('abort', cancel, { once: true })
      return result().finally(() => cancelled.removeEventListener('abort', cancel))
    },
  }
}
