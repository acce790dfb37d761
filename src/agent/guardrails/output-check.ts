import type { WrappedSchema } from '../answer/wrapped-schema.ts'
import type {
  GuardrailRequest,
  OutputGuardrail,
  WithPatternTime,
  WithRedactEnd,
  WithUnfinished,
} from './guardrail.ts'
import { REDACT_END, UNFINISHED, withPatternTime } from './guardrail.ts'
import { runGuardrails } from './run-guardrails.ts'

export interface OutputCheckOptions {
  readonly agentId: string
  readonly guardrails: readonly OutputGuardrail[]
  readonly request: GuardrailRequest
  /** The schema of the answer; `undefined` for a text. */
  readonly answerSchema: WrappedSchema | undefined
}

/** Applies the output guardrails of an agent. Its methods throw as `runGuardrails`. */
export class OutputCheck {
  readonly #options: OutputCheckOptions
  readonly #request: GuardrailRequest & WithPatternTime
  #failure: Error | undefined

  constructor(options: OutputCheckOptions) {
    this.#options = options
    this.#request = withPatternTime(options.request)
  }

  /** Whether the answer is an object. */
  get isObject(): boolean {
    return this.#options.answerSchema !== undefined
  }

  /** Why nothing more passes: a BlockSignal, or the error of a guardrail. */
  get failure(): Error | undefined {
    return this.#failure
  }

  /** The text that passes. */
  text(text: string): Promise<string> {
    return this.#run(text, (value) => ({ text: value }), readText)
  }

  /** A text that has passed and comes before a tool call, without the beginning of what a guardrail replaces. */
  redactEnd(passed: string): string {
    const { guardrails } = this.#options
    return guardrails.reduce(
      (rest, guardrail) => (guardrail as WithRedactEnd)[REDACT_END]?.(rest, this.#request) ?? rest,
      passed,
    )
  }

  /** The object that passes, as the model's text. A text that is not JSON is checked as a text. */
  async object(text: string): Promise<string> {
    const { answerSchema } = this.#options
    let object: unknown
    try {
      object = answerSchema?.unwrap(JSON.parse(text))
    } catch {
      return this.text(text)
    }
    const checked = await this.#run(
      object,
      (value) => ({ object: value }),
      (replacement) => replacement,
    )
    return checked === object ? text : JSON.stringify(answerSchema?.wrap(checked))
  }

  async #run<Value>(
    value: Value,
    toMembers: (value: Value) => object,
    read: (replacement: unknown) => Value,
  ): Promise<Value> {
    const { guardrails, agentId } = this.#options
    try {
      return await runGuardrails(guardrails, value, { agentId, request: this.#request, toMembers, read })
    } catch (error) {
      this.#failure = error as Error
      throw error
    }
  }

  /** The index, at least `from`, from which a text may end with the beginning of what a guardrail replaces. */
  unfinished(text: string, from: number): number {
    const { guardrails } = this.#options
    const indexes = guardrails.map((guardrail) =>
      (guardrail as WithUnfinished)[UNFINISHED]?.(text, from, this.#request),
    )
    const index = Math.min(text.length, ...indexes.filter((one) => one !== undefined))
    // what is left may end with the beginning of something else
    return index === text.length ? index : this.unfinished(text.slice(0, index), from)
  }
}

/** @throws TypeError when the replacement of a text is not a text. */
function readText(replacement: unknown): string {
  if (typeof replacement === 'string') return replacement
  throw new TypeError('The replacement of a text must be a string')
}
