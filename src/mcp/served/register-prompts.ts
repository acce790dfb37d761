import { AppError } from '../../lib/errors.ts'
import type { Offer } from './requests/handle-request.ts'
import { messagesOf, promptValues, type McpPrompt, type McpPromptArgument } from './served-prompt.ts'
import type { ServedMcpServer } from './served-server.ts'

const MOST_COMPLETIONS = 100

/** Answers `prompts/list`, `prompts/get` and, where an argument has suggestions, `completion/complete`. */
export function offerPrompts({ mcp, made, exchange }: Offer): void {
  const { server, calls, logger } = exchange
  const refuse = (message: string) => new mcp.ProtocolError(mcp.ProtocolErrorCode.InvalidParams, message)
  const find = (name: string): McpPrompt => {
    const found = server.prompts.find((prompt) => prompt.name === name)
    if (!found) throw refuse(`Prompt not found: ${name}`)
    return found
  }
  const orFail = async <T>(what: string, work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid_input') throw refuse(error.message)
      logger.warn({ err: error }, `${what} failed`)
      throw new mcp.ProtocolError(mcp.ProtocolErrorCode.InternalError, `${what} failed`)
    }
  }
  made.setRequestHandler('prompts/list', () => ({ prompts: promptList(server) }))
  made.setRequestHandler('prompts/get', ({ params }) => {
    const prompt = find(params.name)
    return orFail(`Prompt "${prompt.name}"`, async () => {
      const messages = messagesOf(await calls.prompt(prompt, promptValues(prompt, params.arguments ?? {})))
      return { ...(prompt.description !== undefined && { description: prompt.description }), messages }
    })
  })
  if (!completes(server)) return
  made.setRequestHandler('completion/complete', ({ params: { ref, argument } }) => {
    if (ref.type !== 'ref/prompt') return { completion: { values: [] } }
    const { complete } = find(ref.name).arguments?.find(({ name }) => name === argument.name) ?? {}
    return orFail(`The completion of "${argument.name}"`, async () => {
      const all = (await complete?.(argument.value)) ?? []
      const values = all.slice(0, MOST_COMPLETIONS)
      return { completion: { values, total: all.length, hasMore: all.length > values.length } }
    })
  })
}

/** Whether an argument of a prompt has suggestions. */
export function completes({ prompts }: ServedMcpServer): boolean {
  return prompts.some((prompt) => prompt.arguments?.some(({ complete }) => complete !== undefined))
}

/** The prompts as clients see them. */
export function promptList({ prompts }: ServedMcpServer) {
  return prompts.map(({ get: _, arguments: declared, ...prompt }) => ({
    ...prompt,
    ...(declared && { arguments: declared.map((argument) => plainArgument(argument)) }),
  }))
}

function plainArgument({ complete: _, ...argument }: McpPromptArgument): Omit<McpPromptArgument, 'complete'> {
  return argument
}
