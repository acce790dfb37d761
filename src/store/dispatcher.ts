import type { Crash } from './crash.ts'

/**
 * Decides which machine does what, and when: which machine continues the executions of one that has died, and when an
 * execution wakes or a scheduled one begins. On SQLite one process does everything; on Postgres the jobs are
 * distributed.
 */
export interface Dispatcher {
  /**
   * Starts to take jobs. Resolves when a job is stored for all that an earlier process left (one machine), or jobs can
   * be received (many machines).
   */
  serve(server: JobServer): Promise<void>
  /** How far `serve` is with what an earlier process left; `undefined` when that is done. */
  readonly takingOver: TakingOver | undefined
  /** Resolves when the jobs that were due at the start have been handled (one machine), or at once (many machines). */
  settled(): Promise<void>
  /** Stores and drops jobs that belong to no change of an execution. */
  change(jobs: JobChange): Promise<void>
  /**
   * The configuration has changed: jobs that failed or were left for later are tried again at once. Resolves when those
   * that are due have been handled (one machine), or at once (many machines).
   */
  retry(): Promise<void>
  /** Whether the process with this owner epoch is alive. An owner epoch belongs to one process for ever. */
  isAlive(ownerEpoch: number): Promise<boolean>
  /** The machines that are alive, oldest first. */
  machines(): Promise<readonly Machine[]>
  /** What the end of a dead process says about what was in flight in it. */
  crashOf(ownerEpoch: number): Promise<Crash>
  /**
   * Takes no more jobs, waits for those in progress, and lets other machines take what is left here at once. `crashed`: the
   * process ends because of an uncaught error.
   */
  stop(how?: 'stopped' | 'crashed'): Promise<void>
}

/** Executions of an earlier process for which a job is stored, and all of them. */
export interface TakingOver {
  readonly done: number
  readonly total: number
}

/** Work that has to be done even if the process that asked for it ends. */
export type Job =
  /**
   * Continue an execution whose owner `from` has died, unless it has another owner by now. Machines of the `release` of the
   * dead one come first.
   */
  | { readonly kind: 'continue'; readonly id: string; readonly from: number; readonly release?: string }
  /** Continue an execution that waits for a time, unless it has gone on since its event `sequence`. */
  | { readonly kind: 'wake'; readonly id: string; readonly sequence: number }
  /** Give the places of a workflow that time has freed. */
  | { readonly kind: 'admit'; readonly workflowId: string }
  /** Continue the executions that wait for an event. */
  | { readonly kind: 'event'; readonly id: string }
  /** Run the hooks of an execution that has ended, unless they have ended or run on another machine. */
  | { readonly kind: 'hooks'; readonly id: string }
  /** End an execution whose timeout is over, unless it has ended. */
  | { readonly kind: 'time-out'; readonly id: string }
  /** Cancel an execution whose parent does not wait for it any more, unless it has ended. */
  | { readonly kind: 'cancel-child'; readonly id: string }
  /** Start an execution, unless its id is taken. `input` is JSON text. */
  | {
      readonly kind: 'begin'
      readonly workflowId: string
      readonly executionId: string
      readonly input: string
      /** The event that starts it, with its sender as in `SentEventRow`. */
      readonly event?: { readonly id: string; readonly sender: string | null }
    }
  /** The same of an agent run whose execution has not begun, or waits for what the run has got. */
  | { readonly kind: 'continue-run'; readonly id: string; readonly from: number; readonly release?: string }
  /** End a suspended run of an agent whose time has come. */
  | { readonly kind: 'expire'; readonly id: string }
  /** Start the executions of a schedule whose instant `at` has come, or, without one, the first that waits. */
  | { readonly kind: 'tick'; readonly schedule: string; readonly at: number | null }

export interface ScheduledJob {
  /** Unique among the stored jobs: a job replaces an earlier one with its key. */
  readonly key: string
  readonly job: Job
  /** When it is due, in milliseconds since the epoch. Default: now. */
  readonly at?: number
}

/** Jobs to be stored and dropped, with the change that they belong to or not at all. */
export interface JobChange {
  readonly add?: readonly ScheduledJob[]
  /** Keys of jobs. */
  readonly drop?: readonly string[]
}

/**
 * `later`: it can't be done now; it is tried again, on any machine. `elsewhere`: it can't be done with this configuration;
 * machines of other releases try it first.
 */
export type JobResult = 'done' | 'later' | 'elsewhere'

/** The part of a process that does the jobs. */
export interface JobServer {
  /** Does a job. When it rejects, the job is tried again. `attempt` counts from 1. */
  run(job: Job, attempt: number): Promise<JobResult>
  /** How many jobs it can take now. */
  room(): number
  /** What this machine reports to the others. */
  status(): MachineStatus
  /** A process has died: called on one of the machines that are alive. */
  onDeath(ownerEpoch: number): void
}

export interface MachineStatus {
  /** The version of the package and the hash of the configuration. */
  readonly release: string
  /** The share of time in which the event loop was busy, in [0, 1]. */
  readonly load: number
  /** Running executions. */
  readonly executions: number
}

export interface Machine extends MachineStatus {
  /** Host name and process id. */
  readonly id: string
  readonly ownerEpoch: number
  /** Milliseconds since the epoch. */
  readonly lastBeatAt: number
}
