import { requireObject } from '../../lib/require-object.ts'
import { SKIPPED } from '../definition.ts'
import type { StepDefinition } from '../definition.ts'
import { defineStep, functionProblem } from '../step.ts'
import type { AllAdded, AnyResult, Step, StepThatMakes } from '../step.ts'
import type { ContextOf, StepContext } from '../step-context.ts'
import type { StepOptions } from '../step-options.ts'
import type { Optional, Own } from '../step-result.ts'

interface Branch<Input, Data, Results, Makes> {
  /** Whether this branch is chosen. */
  readonly when: (context: ContextOf<Input, Data, Results>) => boolean | Promise<boolean>
  readonly step: StepThatMakes<Input, Data, Results, Makes>
}

export interface AndBranchConfig<
  Input,
  Data,
  List extends readonly unknown[],
  Otherwise,
  Results = unknown,
  Id extends string = string,
  Added = object,
> extends StepOptions<Id> {
  /** Checked in order. */
  readonly branches: { readonly [K in keyof List]: Branch<Input, Data, Results, List[K]> }
  /** Runs when no branch is chosen. Without it the result is then the unchanged data. */
  readonly otherwise?: Step<Input, Data, Otherwise, Results, Added>
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
export function andBranch<
  Input,
  Data,
  List extends readonly unknown[] | [],
  Added,
  Otherwise = Data,
  Results = unknown,
  Id extends string = string,
>(
  config: AndBranchConfig<Input, Data, List, Otherwise, Results, Id, Added>,
): Step<
  Input,
  Data,
  AnyResult<List> | Otherwise,
  Results,
  Own<Id, AnyResult<List> | Otherwise> & Optional<AllAdded<List> & Added>
> {
  requireObject('andBranch', 'config', config)
  const branches = (Array.isArray(config.branches) ? config.branches : []) as readonly (Branch<
    unknown,
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
