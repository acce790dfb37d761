import { Link } from '../../../router/link.tsx'
import { Fact } from '../../../ui/layout/fact.tsx'
import { countText } from '../../../ui/time/format-time.ts'
import { Duration, Time } from '../../../ui/time/time.tsx'
import { costOf } from '../run-columns.tsx'
import { scoreText } from '../score.tsx'
import type { FollowedRun } from './use-eval-run.ts'

/** The score of a run and how far it is. */
export function RunFacts({ run, cases }: FollowedRun) {
  const { evalId, threshold, startedAt, endedAt, commit, status } = run
  const total = run.cases ?? cases.length
  const ended = cases.length
  const score = ended === 0 ? run.score : cases.reduce((sum, one) => sum + one.score, 0) / ended
  return (
    <>
      <dl className="flex shrink-0 flex-wrap items-center gap-x-5 gap-y-1 border-b border-line px-4 py-1.5">
        <Fact name="Eval">
          <Link to={`evals/${encodeURIComponent(evalId)}`}>{evalId}</Link>
        </Fact>
        <Fact name="Score">
          {score !== null && <strong className="font-semibold">{scoreText(score)}</strong>}
        </Fact>
        <Fact name="Threshold">{threshold !== null && scoreText(threshold)}</Fact>
        <Fact name="Cases">
          {run.cases !== null &&
            (ended === total ? countText(total) : `${countText(ended)} of ${countText(total)}`)}
        </Fact>
        <Fact name="Below 1">{countText(cases.filter((one) => one.score < 1).length)}</Fact>
        <Fact name="Cost">{endedAt !== null && costOf(run.costUsd)}</Fact>
        <Fact name="Started">
          <Time at={startedAt} />
        </Fact>
        <Fact name="Duration">
          <Duration
            since={startedAt}
            ms={endedAt === null ? undefined : Date.parse(endedAt) - Date.parse(startedAt)}
          />
        </Fact>
        <Fact name="Commit">
          {commit !== null && <code className="font-mono text-sm">{commit.slice(0, 8)}</code>}
        </Fact>
      </dl>
      {status === 'running' && (
        <div
          role="progressbar"
          aria-label="Cases that have ended"
          aria-valuemin={0}
          aria-valuemax={total}
          aria-valuenow={ended}
          className="h-1 shrink-0 bg-line"
        >
          <div className="h-full bg-accent" style={{ width: `${(ended / Math.max(1, total)) * 100}%` }} />
        </div>
      )}
    </>
  )
}
