import type { EvalRun } from '../../../contract/endpoints/project/evals.ts'
import { StatusBadge } from '../../ui/state/status-badge.tsx'

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
export function RunStatus({ run: { status, passed } }: { readonly run: EvalRun }) {
  if (status === 'completed')
    return <StatusBadge status={passed ? 'completed' : 'error'} text={passed ? 'passed' : 'failed'} />
  const [look, text] = WORDS[status]
  return <StatusBadge status={look} text={text} />
}
