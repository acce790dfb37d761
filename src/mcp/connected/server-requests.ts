import type { Client, ClientCapabilities } from '@modelcontextprotocol/client'
import type * as Mcp from '@modelcontextprotocol/client'
import type { SampleContent, SampleRequest } from '../../agent/tools/elicitation.ts'
import type { Logger } from 'pino'
import { AppError } from '../../lib/errors.ts'
import type { CallsInFlight, RequestContext } from './calls-in-flight.ts'
import type { ConnectedServerConfig } from './connected-config.ts'

/** The requests of a server that a connection declares to answer. */
export function declaredCapabilities({ sampling, roots }: ConnectedServerConfig): ClientCapabilities {
  return {
    elicitation: { form: {} },
    ...(sampling === true && { sampling: {} }),
    ...(roots !== undefined && { roots: {} }),
  }
}

interface ServerRequestDeps {
  readonly mcp: typeof Mcp
  readonly config: ConnectedServerConfig
  readonly calls: CallsInFlight
  readonly logger: Logger
}

/** Answers the server's requests: forms by the caller of the tool, completions by the asking agent's model. */
export function answerServerRequests(client: Client, deps: ServerRequestDeps): void {
  const { sampling, roots } = deps.config
  client.setRequestHandler('elicitation/create', ({ params }) =>
    answer(deps, async ({ elicit }) => {
      // the caller is a program, without a user who could be asked
      if (!elicit || !('requestedSchema' in params)) return { action: 'cancel' as const }
      const { message, requestedSchema } = params
      const result = await elicit({ message, schema: requestedSchema })
      return result.action === 'accept'
        ? { action: result.action, content: result.content as Record<string, string> }
        : result
    }),
  )
  if (sampling === true)
    client.setRequestHandler('sampling/createMessage', ({ params }) =>
      answer(deps, async ({ sample }) => {
        if (sample) return { ...(await sample(sampleRequest(params))) }
        throw new AppError('conflict', 'The tool was not called by an agent, so there is no model')
      }),
    )
  if (roots) client.setRequestHandler('roots/list', () => ({ roots: roots.map((uri) => ({ uri })) }))
}

/** The server reads the message of expected errors only. */
async function answer<T>(
  { mcp, calls, logger }: ServerRequestDeps,
  respond: (context: RequestContext) => Promise<T>,
): Promise<T> {
  try {
    return await calls.answer(respond)
  } catch (error) {
    logger.warn({ err: error }, 'A request of an MCP server could not be answered')
    const isExpected = error instanceof AppError && error.status < 500
    const message = isExpected ? error.message : 'The request could not be answered'
    throw new mcp.ProtocolError(mcp.ProtocolErrorCode.InvalidRequest, message)
  }
}

function sampleRequest(params: Mcp.CreateMessageRequestParams): SampleRequest {
  const { messages, maxTokens, systemPrompt, temperature, stopSequences } = params
  return {
    messages: messages.flatMap(({ role, content }) =>
      [content].flat().map((block) => ({ role, content: sampleContent(block) })),
    ),
    maxTokens,
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences !== undefined && { stopSequences }),
  }
}

function sampleContent(block: Mcp.SamplingMessageContentBlock): SampleContent {
  if (block.type === 'text' || block.type === 'image' || block.type === 'audio') return block
  throw new AppError('invalid_input', `Messages of the type "${block.type}" are not supported`)
}
