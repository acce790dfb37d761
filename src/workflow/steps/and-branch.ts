import { requireObject } from '../../lib/require-object.ts'
import { misspelledOptions } from '../../lib/unknown-option.ts'
import { SKIPPED } from '../definition.ts'
import { defineStep, functionProblem } from '../step.ts'
import type { AddedIn, AllAdded, Step } from '../step.ts'
import { STEP_OPTIONS } from '../step-options.ts'
import { nestedSteps } from '../group.ts'
import type { AndBranchConfig, BranchResult } from '../workflow.ts'
import type { StepContext } from '../step-context.ts'
import type { Optional, Own } from '../../step/step-result.ts'

const OPTIONS = {
  ...STEP_OPTIONS,
  branches: true,
  otherwise: true,
} satisfies Record<keyof AndBranchConfig<unknown, unknown, readonly unknown[], unknown>, true>

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
  Otherwise,
  Results = unknown,
  Id extends string = string,
>(
  config: AndBranchConfig<Input, Data, List, Otherwise, Results, Id>,
): Step<
  Input,
  Data,
  BranchResult<List, Otherwise, Data>,
  Results,
  Own<Id, BranchResult<List, Otherwise, Data>> & Optional<AllAdded<List> & AddedIn<Otherwise>, Results>
> {
  requireObject('andBranch', 'config', config)
  const branches = (Array.isArray(config.branches) ? config.branches : []) as readonly (AnyBranch | null)[]
  const given = branches.map((branch) => branch?.step)
  const all = nestedSteps(config.id, config.otherwise === undefined ? given : [...given, config.otherwise])
  const otherwise = config.otherwise === undefined ? undefined : all.at(-1)
  return defineStep('andBranch', config, {
    steps: all,
    problems: [
      ...misspelledOptions(config, OPTIONS),
      branches.length > 0 ? undefined : 'branches must be an array with at least one branch',
      ...branches.map((branch, index) => functionProblem(`branches[${index}].when`, branch?.when)),
    ],
    run: (runtime) =>
      runtime.group(async () => {
        let chosen = all.find((step) => runtime.hasStarted(step))
        for (const [index, branch] of branches.entries()) {
          if (chosen) break
          const when = branch?.when as (context: StepContext) => unknown
          if (await runtime.evaluate(when)) chosen = all[index]
        }
        chosen ??= otherwise
        return chosen ? runtime.run(chosen, runtime.data) : SKIPPED
      }),
  })
}

interface AnyBranch {
  readonly when: unknown
  readonly step: unknown
}
