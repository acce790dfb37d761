import type { CaseTarget } from '../../contract/evals/case.ts'

/** The score that one scorer gave. */
export interface NamedScore {
  readonly name: string
  readonly score: number
  readonly reason?: string | undefined
  /** What the scorer itself cost in US dollars. */
  readonly costUsd?: number | null | undefined
  /** The model that has judged, as `provider/model`. */
  readonly model?: string
}

/** What a case gave. */
export interface CaseResult {
  /** Path of the case file, or the eval's id and the id of the case. */
  readonly id: string
  /** Null when the case can't be read. */
  readonly target: CaseTarget | null
  readonly input: unknown
  readonly output: unknown
  readonly expected: unknown
  /** Why there is no output, or no score. The score is 0 then. */
  readonly error?: string | undefined
  /** Whether the case or a scorer is wrong, and not the output: `error` says how. An eval with such a case fails. */
  readonly broken?: true | undefined
  readonly scores: readonly NamedScore[]
  /** The mean of the scores, over all repetitions. */
  readonly score: number
  /** The lowest and the highest score of the repetitions; set when the case ran more than once. */
  readonly spread?: readonly [number, number] | undefined
  /** The mean over all repetitions. */
  readonly durationMs: number
  /** The sum over all repetitions; null when the price of a model is unknown. */
  readonly costUsd: number | null
  readonly traceId?: string | undefined
}

/** What an eval gave. */
export interface EvalResult {
  /** `cases` for the cases without an eval. */
  readonly id: string
  readonly threshold: number
  /** Mean score of the cases; null when none was run. */
  readonly score: number | null
  readonly passed: boolean
  readonly cases: readonly CaseResult[]
}

export function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length
}

/** A sum of costs: null when one is unknown. */
export function sumOfCosts(costs: readonly (number | null | undefined)[]): number | null {
  return costs.some((cost) => cost === null)
    ? null
    : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0)
}
