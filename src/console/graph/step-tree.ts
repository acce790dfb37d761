import type { StepRecord } from '../../contract/endpoints/execution.ts'
import type { StepDescription } from '../../contract/endpoints/workflow.ts'
import { declaredPath, isInRound, outerPath } from '../../contract/step-path.ts'

/** A step of the flattened tree. */
export interface FlatStep {
  /** Ids from the outermost step to this one, joined by "/", as in execution records. */
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

/** The path of a recorded step in the tree: the rounds of a loop share the place of its step. */
export function pathInTree(path: string, placed: readonly FlatStep[]): string {
  if (!isInRound(path)) return path
  const nestedId = (loop: string) => placed.find((one) => one.path === loop)?.step.steps?.[0]?.id
  return declaredPath(path, nestedId) ?? path
}
