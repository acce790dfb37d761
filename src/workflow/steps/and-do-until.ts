import { requireObject } from '../../lib/require-object.ts'
import { defineStep } from '../step.ts'
import type { Made, ResultIn, Step } from '../step.ts'
import type { StepContext } from '../step-context.ts'
import { loopProblems, runLoop } from '../loop.ts'
import { nestedStep } from '../group.ts'
import type { LoopConfig } from '../workflow.ts'
import type { Own } from '../../step/step-result.ts'

/**
 * Declares a step that runs `step` at least once, and again until the condition is true. Otherwise like `andDoWhile`.
 *
 * @example
 * andDoUntil({ id: 'improve', step: revise, condition: ({ data }) => data.score > 0.9, maxIterations: 5 })
 */
export function andDoUntil<
  Input,
  Data,
  Makes extends Made<Data, unknown>,
  Results = unknown,
  Id extends string = string,
>(
  config: LoopConfig<Input, Data, Makes, Results, Id>,
): Step<Input, Data, ResultIn<Makes>, Results, Own<Id, ResultIn<Makes>>> {
  requireObject('andDoUntil', 'config', config)
  const condition = config.condition as (context: StepContext) => unknown
  const step = nestedStep(config.id, config.step)
  const loop = { ...config, step, condition }
  return defineStep('andDoUntil', config, {
    steps: [step],
    problems: loopProblems(loop),
    run: (runtime) => runtime.group(() => runLoop(runtime, loop, true)),
  })
}
