import type { EvalRun } from '../../../contract/endpoints/project/evals.ts'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { useEffect } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { Strip } from '../../charts/strip.tsx'
import { exactTime } from '../../ui/time/format-time.ts'

/** `0.94`. */
export function scoreText(score: number): string {
  return score.toFixed(2)
}

/** The change of a score, with its sign. Differences that the text would not show are none. */
export function Change({ by }: { readonly by: number }) {
  const text = scoreText(Math.abs(by))
  if (text === '0.00') return <span className="text-dim">0</span>
  return by > 0 ? <span className="text-ok">+{text}</span> : <span className="text-error">−{text}</span>
}

const WORDS = {
  running: ['running', 'running'],
  failed: ['error', 'could not run'],
  cancelled: ['cancelled', 'cancelled'],
  interrupted: ['cancelled', 'interrupted'],
} as const

/** Whether a run has passed, else how it ended. */
export function EvalRunBadge({ run: { status, passed } }: { readonly run: EvalRun }) {
  if (status === 'completed')
    return <StatusBadge status={passed ? 'completed' : 'error'} text={passed ? 'passed' : 'failed'} />
  const [look, text] = WORDS[status]
  return <StatusBadge status={look} text={text} />
}

interface ScoreStripProps {
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

export type ScoredEvalRun = EvalRun & { readonly score: number }

/** Whether a case of the run has ended. */
export function hasScore(run: EvalRun): run is ScoredEvalRun {
  return run.score !== null
}

function toneOf({ passed }: EvalRun): string {
  if (passed === null) return 'fill-cancelled'
  return passed ? 'fill-ok' : 'fill-error'
}
