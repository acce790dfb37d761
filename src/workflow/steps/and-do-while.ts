import { requireObject } from '../../lib/require-object.ts'
import { defineStep } from '../step.ts'
import type { Made, ResultIn, Step } from '../step.ts'
import type { StepContext } from '../step-context.ts'
import { loopProblems, runLoop } from '../loop.ts'
import { nestedStep } from '../group.ts'
import type { LoopConfig } from '../workflow.ts'
import type { Own } from '../../step/step-result.ts'

/**
 * Declares a step that runs `step` at least once, and again while the condition is true. The result of a round is the
 * data of the next one, and that of the last round is the result of the loop. Each round is recorded: after a crash
 * the loop continues with the round that was running.
 *
 * @example
 * andDoWhile({ id: 'pages', step: fetchPage, condition: ({ data }) => data.cursor !== null, maxIterations: 50 })
 */
export function andDoWhile<
  Input,
  Data,
  Makes extends Made<Data, unknown>,
  Results = unknown,
  Id extends string = string,
>(
  config: LoopConfig<Input, Data, Makes, Results, Id>,
): Step<Input, Data, ResultIn<Makes>, Results, Own<Id, ResultIn<Makes>>> {
  requireObject('andDoWhile', 'config', config)
  const condition = config.condition as (context: StepContext) => unknown
  const step = nestedStep(config.id, config.step)
  const loop = { ...config, step, condition }
  return defineStep('andDoWhile', config, {
    steps: [step],
    problems: loopProblems(loop),
    run: (runtime) => runtime.group(() => runLoop(runtime, loop, false)),
  })
}
