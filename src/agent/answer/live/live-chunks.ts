import type { UiMessageChunk } from '../../../contract/agent-event.ts'
import { outcomeOf } from './live-stream-part.ts'
import type { LivePart } from './part-listener.ts'

/** Makes chunks of live parts. Those of sub-agents are data parts: a call and its result are one, found by its id. */
export class LiveChunks {
  readonly #runId: string
  /** The inputs of the calls that have not ended, by the ids of their parts. */
  readonly #inputs = new Map<string, unknown>()

  constructor(runId: string) {
    this.#runId = runId
  }

  chunk(part: LivePart): UiMessageChunk {
    const { agentId, runId } = part
    switch (part.kind) {
      case 'text': {
        const data = { agentId, runId, id: part.id, text: part.text }
        return { type: 'data-agent-delta', data, transient: true }
      }
      case 'report': {
        const { type, data, id, transient } = part
        return {
          type,
          data: JSON.parse(data) as unknown,
          ...(id !== undefined && { id }),
          ...(transient !== undefined && { transient }),
        }
      }
      case 'call':
      case 'result':
        return this.#call(part)
    }
  }

  #call(part: Extract<LivePart, { kind: 'call' | 'result' }>): UiMessageChunk {
    const { agentId, runId, toolCallId, toolName } = part
    if (part.kind === 'result' && runId === this.#runId)
      return { type: 'tool-output-available', toolCallId, ...outcomeOf(part) }
    const id = `${runId}:${toolCallId}`
    const call = { agentId, runId, toolCallId, toolName }
    if (part.kind === 'call') {
      const input = JSON.parse(part.input) as unknown
      this.#inputs.set(id, input)
      return { type: 'data-agent-tool', id, data: { ...call, state: 'call', input } }
    }
    const input = this.#inputs.get(id) ?? null
    if (!part.isPreliminary) this.#inputs.delete(id)
    const state = part.error === undefined ? 'result' : 'error'
    return { type: 'data-agent-tool', id, data: { ...call, state, input, ...outcomeOf(part) } }
  }
}
