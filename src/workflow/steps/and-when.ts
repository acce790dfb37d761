import type { StepContext } from '../step-context.ts'
import { SKIPPED } from '../step-frame.ts'
import { defineStep, functionProblem } from '../step.ts'
import type { Step, StepOptions } from '../step.ts'

export interface AndWhenConfig<Input, Data, Result> extends StepOptions {
  readonly condition: (context: StepContext<Data, Input>) => boolean | Promise<boolean>
  readonly step: Step<Input, Data, Result>
}

/** Runs `step` when the condition holds; otherwise the data goes on unchanged. */
export function andWhen<Input, Data, Result>(
  config: AndWhenConfig<Input, Data, Result>,
): Step<Input, Data, Data | Result> {
  const { step } = config
  const condition = config.condition as (context: StepContext) => unknown
  return defineStep('andWhen', config, {
    steps: [step],
    problems: [functionProblem('condition', condition)],
    run: (frame) =>
      frame.group(async () => {
        const chosen = frame.hasStarted(step) || Boolean(await condition(frame.context()))
        return chosen ? frame.run(step, frame.data) : SKIPPED
      }),
  })
}
