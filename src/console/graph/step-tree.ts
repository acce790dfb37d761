import type { StepRecord } from '../../contract/endpoints/execution.ts'
import type { StepDescription } from '../../contract/endpoints/workflow.ts'
import { outerPath } from '../../contract/step-path.ts'

/** A step of the flattened tree. */
export interface FlatStep {
  /** Ids from the outermost step to this one, groups included, joined by "/". */
  readonly path: string
  readonly step: StepDescription
  /** Path of the outer step. */
  readonly parentPath: string | undefined
  /** 0 for top-level steps. */
  readonly depth: number
  /** Index among its siblings, from 0. */
  readonly index: number
  /** Number of siblings, itself included. */
  readonly siblings: number
}

/** All steps in depth-first order. */
export function flattenSteps(steps: readonly StepDescription[], outer?: FlatStep): readonly FlatStep[] {
  return steps.flatMap((step, index) => {
    const placed: FlatStep = {
      path: outer ? `${outer.path}/${step.id}` : step.id,
      step,
      parentPath: outer?.path,
      depth: outer ? outer.depth + 1 : 0,
      index,
      siblings: steps.length,
    }
    return [placed, ...flattenSteps(step.steps ?? [], placed)]
  })
}

/** Step descriptions from the records of an execution, for a workflow that was removed or changed since. */
export function stepsFromRecords(records: readonly StepRecord[]): readonly StepDescription[] {
  const nested = (within: string): readonly StepDescription[] =>
    records.filter(({ path }) => path !== '' && outerPath(path) === within).map((record) => described(record))
  const described = ({ stepId: id, path, name, type }: StepRecord): StepDescription => {
    const steps = nested(path)
    return { id, name, type, purpose: '', ...(steps.length > 0 && { steps: [...steps] }) }
  }
  return nested('')
}

/**
 * The path of a recorded step in the tree: the rounds of a loop share the place of its step, and the steps of a group are
 * below the group.
 */
export function pathInTree(path: string, placed: readonly FlatStep[]): string {
  const paths = new Map(placed.map((one) => [one.path, one.step]))
  if (paths.has(path)) return path
  let at = ''
  for (const [, id, round] of path.matchAll(/([^/[\]]+)|\[(\d+)\]/g)) {
    const nested = at === '' ? [] : (paths.get(at)?.steps ?? [])
    const group = nested.find(({ type, steps }) => type === 'group' && steps?.some((one) => one.id === id))
    const next = round === undefined ? id : nested[0]?.id
    const within = round === undefined && group ? `${at}/${group.id}` : at
    at = within === '' ? String(next) : `${within}/${next}`
    if (!paths.has(at)) return path
  }
  return at
}
