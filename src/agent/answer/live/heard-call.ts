import type { DataPart, ToolContext } from '../../tools/tool.ts'
import { unheard } from '../../tools/tool-reports.ts'
import { toolErrorMessage } from '../generated-steps.ts'
import { SuspendedAnswer } from '../waiting/pending-calls.ts'
import type { PartListener } from './part-listener.ts'

interface CallOf {
  readonly agentId: string
  readonly runId: string
  readonly toolCallId: string
  readonly toolName: string
}

/** Makes the live parts of a tool call, as far as somebody listens. */
export class HeardCall {
  readonly #listener: PartListener
  readonly #of: CallOf

  constructor(listener: PartListener, of: CallOf) {
    this.#listener = listener
    this.#of = of
  }

  begin(input: unknown): void {
    if (this.#listener.wants('calls'))
      this.#listener.send({ kind: 'call', ...this.#of, input: JSON.stringify(input ?? null) })
  }

  end(output: unknown): void {
    // a call that waits has no result yet
    if (output instanceof SuspendedAnswer || !this.#listener.wants('calls')) return
    const json = JSON.stringify(output ?? null)
    this.#listener.send({ kind: 'result', ...this.#of, output: json, isPreliminary: false })
  }

  fail(error: unknown): void {
    if (!this.#listener.wants('calls')) return
    const message = toolErrorMessage({ toolName: this.#of.toolName, error })
    this.#listener.send({ kind: 'result', ...this.#of, error: message, isPreliminary: false })
  }

  readonly write = ({ type, data, id, transient }: DataPart): void => {
    if (!this.#listener.wants('reports')) return
    this.#listener.send({
      kind: 'report',
      ...this.#of,
      type,
      data: JSON.stringify(data ?? null),
      ...(id !== undefined && { id }),
      ...(transient !== undefined && { transient }),
    })
  }

  readonly preliminary = (output: unknown): void => {
    if (!this.#listener.wants('reports')) return
    const json = JSON.stringify(output ?? null)
    this.#listener.send({ kind: 'result', ...this.#of, output: json, isPreliminary: true })
  }
}

/** What a tool's context has for its reports. */
export function reportsOf(call: HeardCall | undefined): Pick<ToolContext, 'write' | 'preliminary'> {
  return call ? { write: call.write, preliminary: call.preliminary } : { write: unheard }
}
