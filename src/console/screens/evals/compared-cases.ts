import type { EvalCase } from '../../../contract/endpoints/project/evals.ts'

/** A case of a run beside the same case of another run. */
export interface ComparedCase {
  readonly now: EvalCase
  readonly before: EvalCase | undefined
  /** Change of the score. */
  readonly change: number | undefined
  /** Whether the output is another. */
  readonly differs: boolean
}

/** The cases of a run in their order, each beside that of the other run. */
export function comparedCases(
  cases: readonly EvalCase[],
  others: readonly EvalCase[],
): readonly ComparedCase[] {
  const byId = new Map(others.map((one) => [one.id, one]))
  return cases
    .toSorted((one, other) => one.position - other.position)
    .map((now) => {
      const before = byId.get(now.id)
      return {
        now,
        before,
        change: before && now.score - before.score,
        differs: before !== undefined && resultOf(now) !== resultOf(before),
      }
    })
}

function resultOf({ output, error }: EvalCase): string {
  return JSON.stringify([output, error])
}

/** Why a case has no full score: its error, else the first reason of a scorer. */
export function reasonOf({ error, scores }: EvalCase): string | undefined {
  return error ?? scores.find(({ score, reason }) => score < 1 && reason !== undefined)?.reason
}
