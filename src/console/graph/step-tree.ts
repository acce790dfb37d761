import type { StepRecord } from '../../contract/endpoints/execution.ts'
import type { StepDescription } from '../../contract/endpoints/workflow.ts'

/** A step with its place among the others. */
export interface FlatStep {
  /** Ids from the outermost step to this one, joined by "/", as execution records have them. */
  readonly path: string
  readonly step: StepDescription
  /** The path of the step it is nested in. */
  readonly parentPath: string | undefined
  /** 0 for steps of the workflow itself. */
  readonly depth: number
  /** Its place among its siblings, from 0, and how many there are. */
  readonly index: number
  readonly siblings: number
}

/** All steps, nested ones behind the one they are nested in. */
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

/**
 * The steps that an execution recorded, as far as they ran, to be drawn when the workflow is not declared any
 * more or has changed since.
 */
export function stepsFromRecords(records: readonly StepRecord[]): readonly StepDescription[] {
  const nested = (within: string): readonly StepDescription[] =>
    records.filter(({ path }) => outerOf(path) === within).map((record) => described(record))
  const described = ({ stepId: id, path, name, type }: StepRecord): StepDescription => {
    const steps = nested(path)
    return { id, name, type, purpose: '', ...(steps.length > 0 && { steps: [...steps] }) }
  }
  return nested('')
}

function outerOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}
