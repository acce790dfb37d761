import type { CallingPart } from '../../calls/current-server.ts'
import type { StepPlace } from '../../contract/usage/step-place.ts'
import type { Scope } from '../../lib/async/scope.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import { stepPlaceOf } from './ended-steps.ts'

interface Attempt {
  readonly trace: TraceScope
  readonly scope: Scope
}

/** A step whose function is running. Members that are costly to make are made when a call needs them. */
export class StepPart implements CallingPart {
  readonly trace: TraceScope
  readonly #row: Pick<ExecutionRow, 'id' | 'workflowId' | 'traceId'>
  readonly #path: string
  readonly #scope: Scope

  constructor(row: Pick<ExecutionRow, 'id' | 'workflowId' | 'traceId'>, path: string, attempt: Attempt) {
    this.trace = attempt.trace
    this.#row = row
    this.#path = path
    this.#scope = attempt.scope
  }

  get signal(): AbortSignal {
    return this.#scope.signal
  }

  get traceId(): string {
    return this.#row.traceId
  }

  get place(): StepPlace {
    return stepPlaceOf(this.#row, this.#path)
  }
}
