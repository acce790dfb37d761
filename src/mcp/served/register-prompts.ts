import { AppError } from '../../lib/errors.ts'
import type { HandlerDeps } from './exchange.ts'
import { hasCompletions, messagesOf, promptValues } from './served-prompt.ts'
import type { McpPrompt, McpPromptArgument } from './served-prompt.ts'
import type { ServedMcpServer } from './served-server.ts'

/** What the MCP specification allows for a response. */
const MAX_COMPLETIONS = 100

/** Handles `prompts/list`, `prompts/get` and, if an argument has completions, `completion/complete`. */
export function registerPrompts({ mcp, protocolServer, exchange }: HandlerDeps): void {
  const { server, calls, logger } = exchange
  const invalidParams = (message: string) =>
    new mcp.ProtocolError(mcp.ProtocolErrorCode.InvalidParams, message)
  const find = (name: string): McpPrompt => {
    const found = server.prompts.find((prompt) => prompt.name === name)
    if (!found) throw invalidParams(`Prompt not found: ${name}`)
    return found
  }
  const attempt = async <T>(subject: string, work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid_input') throw invalidParams(error.message)
      logger.warn({ err: error }, `${subject} failed`)
      throw new mcp.ProtocolError(mcp.ProtocolErrorCode.InternalError, `${subject} failed`)
    }
  }
  protocolServer.setRequestHandler('prompts/list', () => ({ prompts: promptList(server) }))
  protocolServer.setRequestHandler('prompts/get', ({ params }) => {
    const prompt = find(params.name)
    return attempt(`Prompt "${prompt.name}"`, async () => {
      const messages = messagesOf(await calls.prompt(prompt, promptValues(prompt, params.arguments ?? {})))
      return { ...(prompt.description !== undefined && { description: prompt.description }), messages }
    })
  })
  if (!hasCompletions(server.prompts)) return
  protocolServer.setRequestHandler('completion/complete', ({ params: { ref, argument } }) => {
    if (ref.type !== 'ref/prompt') return { completion: { values: [] } }
    const { complete } = find(ref.name).arguments?.find(({ name }) => name === argument.name) ?? {}
    return attempt(`The completion of "${argument.name}"`, async () => {
      const all = (await complete?.(argument.value)) ?? []
      const values = all.slice(0, MAX_COMPLETIONS)
      return { completion: { values, total: all.length, hasMore: all.length > values.length } }
    })
  })
}

/** The prompts as `prompts/list` returns them. */
export function promptList({ prompts }: ServedMcpServer) {
  return prompts.map(({ get: _, arguments: declared, ...prompt }) => ({
    ...prompt,
    ...(declared && { arguments: declared.map((argument) => plainArgument(argument)) }),
  }))
}

function plainArgument({ complete: _, ...argument }: McpPromptArgument): Omit<McpPromptArgument, 'complete'> {
  return argument
}
