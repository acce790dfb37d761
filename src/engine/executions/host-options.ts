import type { Logger } from 'pino'
import type { Agent } from '../../agent/agent.ts'
import type { Generated } from '../../agent/answer/generated.ts'
import type { Clock } from '../../lib/clock.ts'
import type { EventHub } from '../../lib/async/event-hub.ts'
import type { NewId } from '../../lib/ids.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { Store } from '../../store/store.ts'
import type { EngineMeter } from '../engine-meter.ts'
import type { ErrorRecording } from '../run/errors.ts'
import type { TracedQuestion } from '../run/interpretation.ts'
import type { Registry } from '../registry.ts'

/** The workflows a run binds to, held until it ends. */
export interface GenerationHold {
  readonly registry: Registry
  release(): void
}

export interface HostOptions {
  readonly store: Store
  readonly clock: Clock
  readonly newId: NewId
  readonly random: () => number
  readonly logger: Logger
  /** Told the id of an execution, and then `ANY_EXECUTION`, whenever something of it was stored. */
  readonly hub: EventHub
  readonly errors: ErrorRecording
  readonly resultBytes: number
  readonly hold: () => GenerationHold
  /** Has an agent answer on behalf of a step; the trace is that of its execution. */
  readonly ask: (agent: Agent, question: TracedQuestion & { readonly traceId: string }) => Promise<Generated>
  readonly meter: EngineMeter
  /** Where traces begin. */
  readonly trace: () => TraceScope
}
