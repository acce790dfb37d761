import { useEffect } from 'react'
import type { EvalRun } from '../../../contract/endpoints/project/evals.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { Strip } from '../../charts/strip.tsx'
import { exactTime } from '../../ui/time/format-time.ts'
import { scoreText } from './score.tsx'

export interface ScoreStripProps {
  readonly evalId: string
  /** The runs are fetched again when it changes. */
  readonly lastRunId: string
}

const SLOTS = 20

/** A sparkline of the scores of the last runs of an eval, oldest first. */
export function ScoreStrip({ evalId, lastRunId }: ScoreStripProps) {
  const { data = [], refetch } = useEndpoint('listEvalRuns', {
    params: { id: evalId },
    query: { limit: `${SLOTS}` },
  })
  const isOld = data[0] !== undefined && data[0].id !== lastRunId
  useEffect(() => {
    if (isOld) void refetch()
  }, [isOld, refetch])
  const scored = data.filter(hasScore).toReversed()
  if (scored.length === 0) return null
  return (
    <Strip
      label={`Scores of the last ${scored.length} runs: ${scored.map(({ score }) => scoreText(score)).join(', ')}`}
      bars={scored.map((run) => ({
        id: run.id,
        height: run.score,
        tone: toneOf(run),
        title: `${scoreText(run.score)}, ${exactTime(run.startedAt)}`,
      }))}
    />
  )
}

export type ScoredRun = EvalRun & { readonly score: number }

/** Whether a case of the run has ended. */
export function hasScore(run: EvalRun): run is ScoredRun {
  return run.score !== null
}

function toneOf({ passed }: EvalRun): string {
  if (passed === null) return 'fill-cancelled'
  return passed ? 'fill-ok' : 'fill-error'
}
