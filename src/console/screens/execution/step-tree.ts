import type { StepRecord, ExecutionDetail } from '../../../contract/endpoints/execution.ts'
import { outerPath, roundIn, hookPath } from '../../../contract/step-path.ts'
import { pathInTree } from '../../graph/step-tree.ts'
import type { FlatStep } from '../../graph/step-tree.ts'

/** The hooks of an execution as steps, each followed by its recorded calls. */
export function hookSteps({ hooks = [], input }: ExecutionDetail): readonly StepRecord[] {
  return hooks.flatMap(({ hook, steps = [], ...rest }) => {
    const path = hookPath(hook)
    return [{ ...rest, stepId: path, path, name: hook, type: 'andThen' as const, input }, ...steps]
  })
}

/** A step with its depth. */
export interface TreeStep {
  readonly step: StepRecord
  readonly depth: number
  readonly hasChildren: boolean
}

/** The steps in the given order, each followed by its nested steps. */
export function stepTree(
  steps: readonly StepRecord[],
  order: (step: StepRecord) => number,
): readonly TreeStep[] {
  const paths = new Set(steps.map(({ path }) => path))
  const byParent = new Map<string, StepRecord[]>()
  for (const step of steps.filter(({ path }) => path !== '')) {
    const parent = parentOf(step.path, paths)
    const siblings = byParent.get(parent)
    if (siblings) siblings.push(step)
    else byParent.set(parent, [step])
  }
  const list: TreeStep[] = []
  const add = (parent: string, depth: number) => {
    const children = byParent.get(parent) ?? []
    for (const step of children.toSorted((one, other) => order(one) - order(other))) {
      list.push({ step, depth, hasChildren: byParent.has(step.path) })
      add(step.path, depth + 1)
    }
  }
  add('', 0)
  return list
}

/**
 * The place of a step among its siblings: that of its declaration, or the number of its round. Steps that the workflow
 * no longer declares come last.
 */
export function declarationOrder(declared: readonly FlatStep[]): (step: StepRecord) => number {
  const places = new Map(declared.map(({ path }, index) => [path, index]))
  return ({ path }) => roundIn(path) ?? places.get(pathInTree(path, declared)) ?? declared.length
}

/** The path of the nearest recorded outer step. */
function parentOf(path: string, paths: ReadonlySet<string>): string {
  let outer = outerPath(path)
  while (outer !== '' && !paths.has(outer)) outer = outerPath(outer)
  return outer
}
