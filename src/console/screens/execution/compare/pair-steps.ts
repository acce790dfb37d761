import type { ExecutionDetail, StepRecord } from '../../../../contract/endpoints/execution.ts'
import { jsonDiff } from '../../../json/json-diff.ts'

/** A step as two executions have it. */
export interface StepPair {
  readonly path: string
  readonly one: StepRecord | undefined
  readonly other: StepRecord | undefined
  /** In what it differs: `status`, `input`, `output`, `error`, or that one of them lacks it. */
  readonly differs: readonly string[]
}

/** The steps of two executions side by side, in the order in which the first one took them. */
export function pairSteps(one: ExecutionDetail, other: ExecutionDetail): readonly StepPair[] {
  const ours = new Map(one.steps.map((step) => [step.path, step]))
  const theirs = new Map(other.steps.map((step) => [step.path, step]))
  const paths = merged([...ours.keys()], [...theirs.keys()])
  return paths.map((path) => {
    const pair = { one: ours.get(path), other: theirs.get(path) }
    return { path, ...pair, differs: differences(pair.one, pair.other) }
  })
}

/** Both lists in one, where each that only the second has follows what it follows there. */
function merged(ours: readonly string[], theirs: readonly string[]): string[] {
  const known = new Set(ours)
  const after = new Map<string, string[]>()
  let last = ''
  for (const path of theirs) {
    if (known.has(path)) last = path
    else after.set(last, [...(after.get(last) ?? []), path])
  }
  return [...(after.get('') ?? []), ...ours.flatMap((path) => [path, ...(after.get(path) ?? [])])]
}

function differences(one: StepRecord | undefined, other: StepRecord | undefined): string[] {
  // who lost a race that is over is not run again by a replay
  if (!one) return other?.status === 'cancelled' ? [] : ['only there']
  if (!other) return one.status === 'cancelled' ? [] : ['only here']
  const parts = []
  if (one.status !== other.status) parts.push('status')
  if (jsonDiff(one.input, other.input).length > 0) parts.push('input')
  if (jsonDiff(one.output, other.output).length > 0) parts.push('output')
  if (one.error?.message !== other.error?.message || one.error?.name !== other.error?.name)
    parts.push('error')
  return parts
}
