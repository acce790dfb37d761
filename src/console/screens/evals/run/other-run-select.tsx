import { useId } from 'react'
import type { EvalRun } from '../../../../contract/endpoints/project/evals.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { Select } from '../../../ui/controls/select.tsx'
import { exactTime } from '../../../ui/time/format-time.ts'
import { scoreText } from '../score.tsx'

/** Runs that can be chosen. */
const MAX_RUNS = '100'
export const NO_RUN = 'none'

export interface OtherRunSelectProps {
  readonly others: readonly EvalRun[]
  readonly chosen: string
  readonly choose: (runId: string) => void
}

/** Selects the run to compare with. */
export function OtherRunSelect({ others, chosen, choose }: OtherRunSelectProps) {
  const id = useId()
  return (
    <span className="flex min-w-0 items-center gap-1.5 text-sm text-dim">
      <label htmlFor={id} className="whitespace-nowrap">
        Compare with
      </label>
      <Select
        id={id}
        value={chosen}
        options={[
          { value: NO_RUN, text: 'no run' },
          ...others.map((run) => ({ value: run.id, text: nameOf(run) })),
        ]}
        onChange={choose}
        className="max-w-72"
      />
    </span>
  )
}

function nameOf({ startedAt, score, commit }: EvalRun): string {
  return [
    exactTime(startedAt).slice(0, 16),
    score === null ? '' : scoreText(score),
    commit?.slice(0, 8) ?? '',
  ]
    .join('  ')
    .trim()
}

/** The other runs of the eval with results, newest first, and the one that ran before this one. */
export function useOtherRuns(run: EvalRun | undefined) {
  const { data = [] } = useEndpoint(
    'listEvalRuns',
    { params: { id: run?.evalId ?? '' }, query: { limit: MAX_RUNS } },
    { enabled: run !== undefined },
  )
  const others = data.filter(({ id, endedCases }) => id !== run?.id && endedCases > 0)
  return { others, previous: others.find(({ startedAt }) => run !== undefined && startedAt < run.startedAt) }
}
