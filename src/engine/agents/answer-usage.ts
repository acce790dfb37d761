import { sumUsage, UNKNOWN_USAGE } from '../../agent/answer/usage.ts'
import type { Usage } from '../../contract/agent-event.ts'
import { toNanoDollars } from '../../contract/usage/cost.ts'
import { groupBy } from '../../lib/group-by.ts'
import type { CallSums } from '../../store/usage-store.ts'

interface ModelUse {
  readonly usage: Usage
  readonly model: string
}

function sumOf(calls: readonly ModelUse[]): CallSums {
  const sum = (value: (usage: Usage) => number) => calls.reduce((total, { usage }) => total + value(usage), 0)
  return {
    calls: calls.length,
    unpriced: sum(({ costUsd }) => (costUsd === null ? 1 : 0)),
    inputTokens: sum(({ inputTokens }) => inputTokens ?? 0),
    outputTokens: sum(({ outputTokens }) => outputTokens ?? 0),
    costNano: sum(({ costUsd }) => toNanoDollars(costUsd ?? 0)),
  }
}

/** The usage of a run's own model calls, while it runs. */
export class AnswerUsage {
  readonly #calls: ModelUse[] = []
  readonly #recalled: Usage[] = []
  /** How many of the recalled ones are counted, with a part of the run that was kept for a retry. */
  #counted = 0
  /** The calls that have not ended. */
  #open = 0

  beginCall(): void {
    this.#open++
  }

  endCall(): void {
    this.#open--
  }

  /** Adds the usage of a call of a model, `provider/model`. */
  add(usage: Usage, model: string): void {
    this.#calls.push({ usage, model })
  }

  /** Adds the usage of a model call that an earlier process has made, and counted. */
  addRecalled(usage: Usage): void {
    this.#recalled.push(usage)
  }

  /** That many of the calls that are recalled first are counted. */
  skip(counted: number): void {
    this.#counted = counted
  }

  /** One for each call so far; that of calls in progress is not known. */
  get soFar(): readonly Usage[] {
    const open = Array.from({ length: this.#open }, () => UNKNOWN_USAGE)
    return [...this.#recalled, ...this.#usages, ...open]
  }

  /** What metrics count: the calls of this process whose usage is known. */
  get metered(): Usage {
    return sumUsage(this.#usages.filter((usage) => usage !== UNKNOWN_USAGE))
  }

  get #usages(): Usage[] {
    return this.#calls.map(({ usage }) => usage)
  }

  /** The calls so far by model, without those that are counted. The record of an earlier process, and a call in progress, don't name theirs: `model`. */
  byModel(model: string): (CallSums & { readonly model: string })[] {
    const open = Array.from({ length: this.#open }, () => UNKNOWN_USAGE)
    const unnamed = [...this.#recalled.slice(this.#counted), ...open].map((usage): ModelUse => ({
      usage,
      model,
    }))
    const groups = groupBy([...unnamed, ...this.#calls], (call) => call.model)
    return [...groups].map(([name, calls]) => ({ model: name, ...sumOf(calls) }))
  }
}
