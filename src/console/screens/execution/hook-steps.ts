import type { ExecutionDetail, StepRecord } from '../../../contract/endpoints/execution.ts'
import { hookPath } from '../../../contract/step-path.ts'

/** The hooks of an execution as steps, each followed by its recorded calls. */
export function hookSteps({ hooks = [], input }: ExecutionDetail): readonly StepRecord[] {
  return hooks.flatMap(({ hook, steps = [], ...rest }) => {
    const path = hookPath(hook)
    return [{ ...rest, stepId: path, path, name: hook, type: 'andThen' as const, input }, ...steps]
  })
}
