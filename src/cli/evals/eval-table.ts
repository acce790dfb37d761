import { formatCost } from '../../contract/usage/cost.ts'
import type { Baseline } from '../../evals/report/baseline.ts'
import { reasonsOf } from '../../evals/report/junit.ts'
import type { CaseResult, EvalResult, NamedScore } from '../../evals/run/case-result.ts'
import { sumOfCosts } from '../../evals/run/case-result.ts'
import { duration } from '../print/duration.ts'
import { table } from '../print/table.ts'
import { oneLine } from '../print/terminal.ts'
import type { Terminal } from '../print/terminal.ts'

/** Prints a table for each eval, and below it why cases have less than the full score. */
export function printEvals(
  results: readonly EvalResult[],
  baseline: Baseline | undefined,
  terminal: Terminal,
): void {
  for (const one of results) {
    const { id, cases, score, threshold, passed } = one
    const { paint } = terminal
    const headings = ['CASE', 'SCORE', 'SCORERS', ...(baseline ? ['CHANGE'] : []), 'TIME', 'COST']
    const rows = cases.map((each) => rowOf(each, baseline))
    const sign = passed ? paint.green('✓') : paint.red('✗')
    const total = score === null ? 'no cases' : `${score.toFixed(2)} of at least ${threshold}`
    const cost = sumOfCosts(cases.map(({ costUsd }) => costUsd))
    terminal.print(
      `${sign} ${paint.bold(id)}  ${total}${cost === 0 ? '' : paint.dim(`  ${formatCost(cost)}`)}`,
    )
    if (rows.length > 0) terminal.print(table(headings, rows, terminal))
    for (const each of cases) {
      if (each.score >= 1) continue
      for (const reason of reasonsOf(each)) terminal.print(`  ${paint.dim(each.id)} ${oneLine(reason)}`)
    }
    terminal.print('')
  }
}

function rowOf(
  { id, score, spread, scores, durationMs, costUsd, error, broken }: CaseResult,
  baseline?: Baseline,
): string[] {
  const range = spread && spread[0] < spread[1] ? ` (${spread.map((one) => one.toFixed(2)).join('–')})` : ''
  const each =
    error === undefined ? scores.map((one) => scoreText(one)).join(', ') : broken ? 'broken' : 'no output'
  return [
    id,
    score.toFixed(2) + range,
    each,
    ...(baseline ? [changeText(score, baseline[id])] : []),
    duration(durationMs),
    costUsd === 0 ? '' : formatCost(costUsd),
  ]
}

/** A judgement of the demo model says nothing about the output. */
function scoreText({ name, score, model }: NamedScore): string {
  return `${name} ${score.toFixed(2)}${model?.startsWith('demo/') ? ' (demo model)' : ''}`
}

function changeText(score: number, before: number | undefined): string {
  if (before === undefined) return 'new'
  const change = score - before
  if (Math.abs(change) < 0.005) return '='
  return `${change > 0 ? '+' : '−'}${Math.abs(change).toFixed(2)}`
}
