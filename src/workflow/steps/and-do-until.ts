import { requireObject } from '../../lib/require-object.ts'
import { defineStep } from '../step.ts'
import type { Step } from '../step.ts'
import type { StepContext } from '../step-context.ts'
import { loopProblems, runLoop } from '../loop.ts'
import type { LoopConfig } from '../loop.ts'
import type { Own } from '../step-result.ts'

/**
 * Declares a step that runs `step` at least once, and again until the condition is true. Otherwise like `andDoWhile`.
 *
 * @example
 * andDoUntil({ id: 'improve', step: revise, condition: ({ data }) => data.score > 0.9, maxIterations: 5 })
 */
export function andDoUntil<Input, Data, Result extends Data, Results = unknown, Id extends string = string>(
  config: LoopConfig<Input, Data, Result, Results, Id>,
): Step<Input, Data, Result, Results, Own<Id, Result>> {
  requireObject('andDoUntil', 'config', config)
  const condition = config.condition as (context: StepContext) => unknown
  const loop = { ...config, condition }
  return defineStep('andDoUntil', config, {
    steps: [config.step],
    problems: loopProblems(loop),
    run: (runtime) => runtime.group(() => runLoop(runtime, loop, true)),
  })
}
