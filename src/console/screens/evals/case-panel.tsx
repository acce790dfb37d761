import type { Span } from '../../../contract/endpoints/trace.ts'
import { formatCost } from '../../../contract/usage/cost.ts'
import { JsonDiffView } from '../../json/json-diff-view.tsx'
import { JsonView } from '../../json/json-view.tsx'
import { Link } from '../../router/link.tsx'
import { escapeHidden } from '../../ui/escape-text.ts'
import { Section, SidePanel } from '../../ui/layout/side-panel.tsx'
import { CallTree } from '../trace/call-tree.tsx'
import { TargetLink } from './eval-runs.tsx'
import { scoreText } from './score.tsx'
import type { EvalCase } from '../../../contract/endpoints/project/evals.ts'

export interface CasePanelProps {
  readonly planned: Pick<EvalCase, 'id' | 'target' | 'input' | 'expected' | 'error'>
  /** Undefined before it was run. */
  readonly result: EvalCase | undefined
  /** The case in another run. */
  readonly before?: EvalCase | undefined
  readonly close: () => void
}

/** A case, and what came of it: its scores, its output beside what is expected and beside that of the other run, its calls. */
export function CasePanel({ planned, result, before, close }: CasePanelProps) {
  const { id, target, input, expected } = planned
  const { output, error, scores = [], traceId = null } = result ?? { error: planned.error }
  return (
    <SidePanel
      title={id}
      close={close}
      actions={
        traceId !== null && (
          <Link to={`traces/${traceId}`} className="text-sm text-accent hover:underline">
            Request
          </Link>
        )
      }
    >
      {target && <TargetLink target={target} />}
      {error !== null && (
        <p className="whitespace-pre-wrap break-words rounded-md bg-error-panel p-2 text-error">
          {escapeHidden(error)}
        </p>
      )}
      {scores.length > 0 && (
        <Section title="Scores">
          <ul className="flex flex-col gap-1">
            {scores.map(({ name, score, reason, costUsd, model }, index) => (
              <li key={index} className="min-w-0 break-words">
                {name} <strong className="font-semibold">{scoreText(score)}</strong>
                {before?.scores[index] && before.scores[index].score !== score && (
                  <span className="text-dim"> in the other run {scoreText(before.scores[index].score)}</span>
                )}
                {typeof costUsd === 'number' && <span className="text-dim"> {formatCost(costUsd)}</span>}
                {model !== undefined && <span className="text-dim"> by {model}</span>}
                {reason !== undefined && (
                  <span className="block text-sm text-dim">{escapeHidden(reason)}</span>
                )}
              </li>
            ))}
          </ul>
        </Section>
      )}
      {result && expected !== undefined && error === null && (
        <Section title="Differences from what is expected">
          <JsonDiffView
            before={expected}
            after={output}
            label="Differences from what is expected"
            same="None"
          />
        </Section>
      )}
      {before && (
        <Section title="Output: − other run, + this run">
          {result && isOther(result, before) ? (
            <JsonDiffView
              before={before.error ?? before.output}
              after={error ?? output}
              label="Differences from the other run"
            />
          ) : (
            <p className="text-dim">The same</p>
          )}
        </Section>
      )}
      <Value name="Output" value={output} />
      <Value name="Expected" value={expected} />
      <Value name="Input" value={input} />
      {traceId !== null && (
        <Section title="Calls">
          <CallTree traceId={traceId} rootOf={firstOf} />
        </Section>
      )}
    </SidePanel>
  )
}

/** The span of the case, which is the first of its trace. */
function firstOf(spans: readonly Span[]): Span | undefined {
  return spans.find(({ parentSpanId }) => parentSpanId === null)
}

function Value({ name, value }: { readonly name: string; readonly value: unknown }) {
  if (value === undefined) return null
  return (
    <Section title={name}>
      {typeof value === 'string' ? (
        <p className="whitespace-pre-wrap break-words">{escapeHidden(value)}</p>
      ) : (
        <JsonView value={value} label={name} open={3} />
      )}
    </Section>
  )
}

/** A case of an eval run beside the same case of another. */
export interface ComparedCase {
  readonly now: EvalCase
  readonly before: EvalCase | undefined
  /** Change of the score. */
  readonly change: number | undefined
  /** Whether the output is another. */
  readonly differs: boolean
}

/** The cases of an eval run in their order, each beside that of the other one. */
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
        differs: before !== undefined && isOther(now, before),
      }
    })
}

function isOther(one: EvalCase, other: EvalCase): boolean {
  const resultOf = ({ output, error }: EvalCase) => JSON.stringify([output, error])
  return resultOf(one) !== resultOf(other)
}

/** Why a case has no full score: its error, else the first reason of a scorer. */
export function reasonOf({ error, scores }: EvalCase): string | undefined {
  return error ?? scores.find(({ score, reason }) => score < 1 && reason !== undefined)?.reason
}
