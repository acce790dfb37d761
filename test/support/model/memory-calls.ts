import {
  isSuspended,
  type CallRecord,
  type RecordedCalls,
  type RecordedToolCall,
} from '../../../src/agent/answer/journal/recorded-calls.ts'
import { AppError, type ErrorCode } from '../../../src/lib/errors.ts'
import { UNRECORDED_CALLS } from '../../../src/step/unrecorded-calls.ts'

/** The calls of an answer, whose values go through JSON, as in a store. */
export class MemoryCalls implements RecordedCalls {
  readonly entries: Map<string, string>
  /** Called before a value is recorded. */
  onRecord: (key: string) => void = () => undefined

  constructor(entries: Iterable<readonly [key: string, value: string]> = []) {
    this.entries = new Map(entries)
  }

  answer(number: number): unknown {
    return this.#valueOf(`model-${number}`)
  }

  async recordAnswer(number: number, answer: unknown): Promise<void> {
    this.#record(`model-${number}`, answer)
  }

  forgetAnswer(number: number): void {
    this.entries.delete(`model-${number}`)
  }

  async make<Result>(
    { toolCallId }: RecordedToolCall,
    body: (record: CallRecord) => Promise<Result>,
  ): Promise<Result> {
    const key = `tool-${toolCallId}`
    const recorded = this.#valueOf(key) as { output?: Result; error?: [ErrorCode, string] } | undefined
    if (recorded?.error) throw new AppError(...recorded.error)
    if (recorded) return recorded.output as Result
    try {
      const output = await body({ step: UNRECORDED_CALLS, nested: this, left: new AbortController().signal })
      if (!isSuspended(output)) this.#record(key, { output })
      return output
    } catch (error) {
      if (error instanceof AppError) this.#record(key, { error: [error.code, error.message] })
      throw error
    }
  }

  has(toolCallId: string): boolean {
    return this.entries.has(`tool-${toolCallId}`)
  }

  restart(): void {
    this.entries.clear()
  }

  #valueOf(key: string): unknown {
    const text = this.entries.get(key)
    return text === undefined ? undefined : (JSON.parse(text) as unknown)
  }

  #record(key: string, value: unknown): void {
    this.onRecord(key)
    this.entries.set(key, JSON.stringify(value))
  }
}
