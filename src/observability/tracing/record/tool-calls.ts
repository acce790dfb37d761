import { ATTRIBUTE, OPERATION } from '../../../contract/attributes.ts'
import { SHOWN_RUNS } from '../../../contract/endpoints/usage.ts'
import type { ToolUsage } from '../../../contract/endpoints/usage.ts'
import { toIso } from '../../../lib/clock.ts'
import type { SpanData } from '../span/span-data.ts'
import type { SpanListener } from './span-listener.ts'

type ToolCall = ToolUsage['runs'][number]

/** The tools whose calls are kept; those called longest ago are forgotten. */
const MAX_TOOLS = 500

/** The newest calls of each tool in this process. */
export class ToolCalls implements SpanListener {
  readonly #calls = new Map<string, readonly ToolCall[]>()

  onEnd({ attributes, kind, traceId, spanId, startTime, endTime = startTime, failed }: SpanData): void {
    const { [ATTRIBUTE.toolName]: name, [ATTRIBUTE.operation]: operation } = attributes
    // the request to a connected MCP server is part of the call of the tool, under the server's own name for it
    const isRequest = kind === 'client' && attributes[ATTRIBUTE.mcpServerId] !== undefined
    if (operation !== OPERATION.tool || typeof name !== 'string' || isRequest) return
    const call: ToolCall = {
      spanId,
      traceId,
      status: failed ? 'error' : 'completed',
      startedAt: toIso(Math.floor(startTime)),
      durationMs: endTime - startTime,
    }
    const before = this.#calls.get(name) ?? []
    this.#calls.delete(name)
    this.#calls.set(name, [call, ...before.slice(0, SHOWN_RUNS - 1)])
    const [oldest] = this.#calls.keys()
    if (this.#calls.size > MAX_TOOLS && oldest !== undefined) this.#calls.delete(oldest)
  }

  /** Newest first. */
  of(toolName: string): readonly ToolCall[] {
    return this.#calls.get(toolName) ?? []
  }
}
