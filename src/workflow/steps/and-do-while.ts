import { requireObject } from '../../lib/require-object.ts'
import { defineStep } from '../step.ts'
import type { Step } from '../step.ts'
import type { StepContext } from '../step-context.ts'
import { loopProblems, runLoop } from '../loop.ts'
import type { LoopConfig } from '../loop.ts'
import type { Own } from '../step-result.ts'

/**
 * Declares a step that runs `step` at least once, and again while the condition is true. The result of a round is the
 * data of the next one, and that of the last round is the result of the loop. Each round is recorded: after a crash
 * the loop continues with the round that was running.
 *
 * @example
 * andDoWhile({ id: 'pages', step: fetchPage, condition: ({ data }) => data.cursor !== null, maxIterations: 50 })
 */
export function andDoWhile<Input, Data, Result extends Data, Results = unknown, Id extends string = string>(
  config: LoopConfig<Input, Data, Result, Results, Id>,
): Step<Input, Data, Result, Results, Own<Id, Result>> {
  requireObject('andDoWhile', 'config', config)
  const condition = config.condition as (context: StepContext) => unknown
  const loop = { ...config, condition }
  return defineStep('andDoWhile', config, {
    steps: [config.step],
    problems: loopProblems(loop),
    run: (runtime) => runtime.group(() => runLoop(runtime, loop, false)),
  })
}
