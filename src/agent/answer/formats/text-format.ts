import type * as Ai from 'ai'
import type { AgentStreamPart } from '../../../contract/agent-event.ts'
import { messageOf } from '../../../lib/errors.ts'
import { costIn } from '../../prices/cost-metadata.ts'
import { toolErrorMessage } from '../generated-steps.ts'
import { Live } from '../live/live-parts.ts'
import { liveStreamPart } from '../live/live-stream-part.ts'
import { SuspendedAnswer } from '../waiting/pending-calls.ts'
import { requestedObject, summaryOf } from './answer-format.ts'
import type { AnswerFormat } from './answer-format.ts'

/** The full stream of the AI SDK, without the requests and response headers of the provider. */
export const textFormat: AnswerFormat<AgentStreamPart> = {
  async *read(stream, { id }) {
    const parts = stream.parts()
    for await (const part of stream.live?.among(parts, CALLS) ?? parts) {
      if (part instanceof Live) {
        yield liveStreamPart(part.part, id)
        continue
      }
      if (part.type === 'error') return
      const converted = toPart(part)
      if (converted) yield converted
    }
  },
  finished: (generated, run) => ({
    type: 'finish',
    ...summaryOf(generated, run),
    ...requestedObject(generated),
  }),
  failed: (error) => ({ type: 'error', error }),
  aborted: () => ({ type: 'abort' }),
}

const CALLS = { begin: 'tool-call', ends: new Set(['tool-result', 'tool-error', 'tool-output-denied']) }

function toPart(part: Ai.TextStreamPart<Ai.ToolSet>): AgentStreamPart | undefined {
  switch (part.type) {
    case 'finish':
    case 'abort':
    case 'error':
    case 'raw':
      return undefined
    case 'tool-output-denied':
      return { type: part.type, toolCallId: part.toolCallId, toolName: part.toolName }
    case 'tool-approval-request': {
      const { toolCallId, toolName, input } = part.toolCall
      return { type: part.type, approvalId: part.approvalId, toolCallId, toolName, input }
    }
    case 'start-step':
      return { type: part.type, warnings: part.warnings }
    case 'finish-step': {
      const { type, finishReason, response, providerMetadata } = part
      const { id, modelId } = response
      const usage = { ...part.usage, costUsd: costIn(providerMetadata) }
      return { type, finishReason, usage, response: { id, modelId } }
    }
    case 'tool-call': {
      const { error, ...call } = part
      return {
        ...call,
        input: call.input,
        ...(error !== undefined && { error: messageOf(error) }),
      }
    }
    case 'tool-error':
      return { ...part, input: part.input as unknown, error: toolErrorMessage(part) }
    case 'tool-result':
      if (part.output instanceof SuspendedAnswer) return undefined
      return { ...part, output: part.output as unknown }
    case 'file': {
      const { mediaType, base64 } = part.file
      return { type: part.type, file: { mediaType, base64 } }
    }
    default:
      return part
  }
}
