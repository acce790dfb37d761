import type { Scope } from '../../lib/async/scope.ts'
import { FUNCTION_ID } from '../../workflow/definition.ts'
import { NO_TRACE } from '../../lib/telemetry/trace-scope.ts'
import { Pass } from './pass.ts'
import type { PassDeps } from './pass.ts'
import { emit } from './recorded-step.ts'
import type { Placement } from './step-deps.ts'
import type { CustomEvent } from './step-task.ts'
import { AttemptContext } from './steps/attempt-context.ts'

/** The context of the function of a workflow. */
export class FunctionRunContext extends AttemptContext {
  /** @param run runs a recorded call */
  constructor(deps: PassDeps, scope: Scope, run: (scope: Scope, placement: Placement) => Promise<string>) {
    const { context: facts, record } = deps
    const step = {
      facts,
      record,
      rounds: [],
      path: FUNCTION_ID,
      emit: (event: CustomEvent) => emit({ scope, record }, event),
      suspension: () => new TypeError('A function suspends by a recorded call: step.suspend(id, { … })'),
      pass: (within: Scope, leave: (error: unknown) => void) =>
        new Pass(deps, { rounds: [], scope: within, run, leave }),
    }
    const attempt = {
      number: 1,
      failures: 0,
      trace: NO_TRACE,
      onProgress: () => undefined,
      scope,
      get signal() {
        return scope.signal
      },
    }
    super(step, { data: undefined, attempt, resumed: { data: null, timedOut: false } })
  }
}
