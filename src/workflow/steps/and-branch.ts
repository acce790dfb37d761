import { requireObject } from '../../lib/require-object.ts'
import { SKIPPED } from '../definition.ts'
import type { StepDefinition } from '../definition.ts'
import { defineStep, functionProblem } from '../step.ts'
import type { Step } from '../step.ts'
import type { StepContext } from '../step-context.ts'
import type { StepOptions } from '../step-options.ts'

interface Branch<Input, Data, Result> {
  /** Whether this branch is chosen. */
  readonly when: (context: StepContext<Data, Input>) => boolean | Promise<boolean>
  readonly step: Step<Input, Data, Result>
}

export interface AndBranchConfig<
  Input,
  Data,
  Results extends readonly unknown[],
  Otherwise,
> extends StepOptions {
  /** Checked in order. */
  readonly branches: { readonly [K in keyof Results]: Branch<Input, Data, Results[K]> }
  /** Runs when no branch is chosen. Without it the result is then the unchanged data. */
  readonly otherwise?: Step<Input, Data, Otherwise>
}

/**
 * Declares a step that runs the first branch whose condition is true, or else `otherwise`. The choice is recorded: after
 * a crash the same branch continues.
 *
 * @example
 * andBranch({
 *   id: 'route',
 *   branches: [
 *     { when: ({ data }) => data.kind === 'refund', step: refund },
 *     { when: ({ data }) => data.amount > 1000, step: approve },
 *   ],
 *   otherwise: ship,
 * })
 */
export function andBranch<Input, Data, Results extends readonly unknown[] | [], Otherwise = Data>(
  config: AndBranchConfig<Input, Data, Results, Otherwise>,
): Step<Input, Data, Results[number] | Otherwise> {
  requireObject('andBranch', 'config', config)
  const branches = (Array.isArray(config.branches) ? config.branches : []) as readonly (Branch<
    unknown,
    unknown,
    unknown
  > | null)[]
  const { otherwise } = config
  const steps = branches.map((branch) => branch?.step as StepDefinition)
  return defineStep('andBranch', config, {
    steps: otherwise === undefined ? steps : [...steps, otherwise],
    problems: [
      branches.length > 0 ? undefined : 'branches must be an array with at least one branch',
      ...branches.map((branch, index) => functionProblem(`branches[${index}].when`, branch?.when)),
    ],
    run: (runtime) =>
      runtime.group(async () => {
        const all = otherwise === undefined ? steps : [...steps, otherwise]
        let chosen = all.find((step) => runtime.hasStarted(step))
        for (const branch of branches) {
          if (chosen) break
          const when = branch?.when as (context: StepContext) => unknown
          if (await runtime.evaluate(when)) chosen = branch?.step
        }
        chosen ??= otherwise
        return chosen ? runtime.run(chosen, runtime.data) : SKIPPED
      }),
  })
}
