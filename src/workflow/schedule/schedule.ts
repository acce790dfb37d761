import type { Awaitable } from '../../lib/async/awaitable.ts'
import type { Duration } from '../../lib/duration.ts'
import type { TypedWorkflow, WorkflowDefinition } from '../definition.ts'
import type { Instants } from './instants.ts'

/** What happens when the execution of the tick before has not ended. */
export type Overlap = 'skip' | 'queue' | 'allow'
/** Which of the instants that were missed while no server ran are made up for. */
export type CatchUp = 'none' | 'last' | 'all'

export interface ScheduledInstant {
  /** The instant of the schedule. */
  readonly scheduledAt: Date
}

/** When a schedule starts executions: by a cron expression, or at an interval. */
export interface ScheduleTimes {
  /** Five or six fields, such as `0 9 * * 1-5`. */
  readonly cron?: string | undefined
  /** At least one second: `15m`, `1h`, milliseconds. Counted from 1970-01-01T00:00Z. */
  readonly every?: Duration | undefined
  /** IANA time zone of the cron expression. Default `UTC`. */
  readonly timezone?: string | undefined
}

export interface CommonScheduleConfig<Input> {
  /** Unique in the project; at most 80 characters. */
  readonly id: string
  /** Workflow that is started. */
  readonly workflow: TypedWorkflow<Input, unknown>
  /** The input of each execution, or a function that returns it. Default: `{}`. */
  readonly input?: NoInfer<Input> | ((instant: ScheduledInstant) => Awaitable<NoInfer<Input>>)
  /**
   * What happens when the execution of the tick before runs or is suspended: the tick is left out, it starts after it, or
   * both run. Default `skip`.
   */
  readonly overlap?: Overlap
  /** Which instants are made up for after the server was down: none, the last one, or all. Default `last`. */
  readonly catchUp?: CatchUp
  /** Whether it is paused at first. Later, pausing and resuming it decide. Default false. */
  readonly paused?: boolean
}

/** Options of `createSchedule`: with `cron` or `every`. */
export type ScheduleConfig<Input = unknown> = CommonScheduleConfig<Input> &
  ScheduleTimes &
  (
    | {
        /** Cron expression with five fields, or six with seconds, such as `0 9 * * 1-5`, or a name such as `@daily`. */
        readonly cron: string
        /** Not with `cron`. */
        readonly every?: undefined
      }
    | {
        /** Interval, such as `1h`. */
        readonly every: Duration
        /** Not with `every`. */
        readonly cron?: undefined
      }
  )

/** Starts executions of a workflow at times. Created by `createSchedule`. */
export interface Schedule {
  /** Id of the schedule. */
  readonly id: string
  /** Cron expression; missing with `every`. */
  readonly cron?: string
  /** Interval; missing with `cron`. */
  readonly every?: Duration
  /** Time zone of the cron expression. */
  readonly timezone: string
  /** Workflow that is started. */
  readonly workflow: WorkflowDefinition
  /** What happens at an instant while the execution before it runs. */
  readonly overlap: Overlap
  /** Whether missed instants are made up for. */
  readonly catchUp: CatchUp
  /** Whether it starts paused. */
  readonly paused: boolean
  /** Whether the input is a function. */
  readonly choosesInput: boolean
  /** Returns the input of an instant. */
  readonly inputAt: (instant: ScheduledInstant) => Promise<unknown>
  /** Names its instants: equal for schedules with the same ones. */
  readonly rule: string
  readonly instants: Instants
  /** Problems of the declaration, reported when the configuration is loaded. */
  readonly problems: readonly string[]
}
