import type { ExecutionDetail, StepRecord } from '../../../contract/endpoints/execution.ts'
import { jsonDiff } from '../../json/json-diff.ts'

/** A step in two executions. */
export interface StepPair {
  readonly path: string
  readonly one: StepRecord | undefined
  readonly other: StepRecord | undefined
  /** The differences: `status`, `input`, `output`, `error`, or that only one execution has the step. */
  readonly differs: readonly string[]
}

/** The steps of two executions by path, in the order of the first execution. */
export function pairSteps(one: ExecutionDetail, other: ExecutionDetail): readonly StepPair[] {
  const ours = new Map(one.steps.map((step) => [step.path, step]))
  const theirs = new Map(other.steps.map((step) => [step.path, step]))
  const paths = mergePaths([...ours.keys()], [...theirs.keys()])
  return paths.map((path) => {
    const pair = { one: ours.get(path), other: theirs.get(path) }
    return { path, ...pair, differs: differences(pair.one, pair.other) }
  })
}

/** Merges two lists; an item that only the second has follows its predecessor there. */
function mergePaths(ours: readonly string[], theirs: readonly string[]): string[] {
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
  // a replay does not run the loser of a finished race again
  if (!one) return other?.status === 'cancelled' ? [] : ['only in other']
  if (!other) return one.status === 'cancelled' ? [] : ['only in this']
  const parts = []
  if (one.status !== other.status) parts.push('status')
  if (jsonDiff(one.input, other.input).length > 0) parts.push('input')
  if (jsonDiff(one.output, other.output).length > 0) parts.push('output')
  if (one.error?.message !== other.error?.message || one.error?.name !== other.error?.name)
    parts.push('error')
  return parts
}
