import type { ModelRecorder } from '../agent/answer/model-recorder.ts'
import type { Clock } from '../lib/clock.ts'
import type { ProjectSource } from '../http/services.ts'
import type { ServerLogs } from '../observability/logs/server-logs.ts'
import type { TraceStore } from '../store/trace-store.ts'
import type { SavedEvals } from './evals/saved-evals.ts'
import type { ServedPins } from './dev/pins.ts'

export interface LiveServerOptions {
  /** The project's directory, absolute. */
  readonly root: string
  readonly production: boolean
  /** Log records are stored in the configured database and sent to the log channels. */
  readonly logs: ServerLogs
  /** The file the configuration is read from; omitted when a program made it. */
  readonly project?: ProjectSource
  /** Applies these variables of `.env`, where nothing watches that file. */
  readonly applyEnv?: (names: readonly string[]) => void
  /** The clock of executions. Default: the system's. */
  readonly clock?: Clock
  /** Opens the database read-only, also while another process owns it. */
  readonly readOnly?: boolean
  /** A stop aborts the signals of running steps at once. Default: steps have time to finish. */
  readonly abortStepsAtStop?: boolean
  /**
   * Recovers the executions of an earlier process and deletes data past its retention, as soon as the database can be
   * reached. Default: `true`; otherwise a database that can't be reached is an error.
   */
  readonly recover?: boolean
  /** What changes the project needs it from pages and other users. Default: nothing does. */
  readonly projectToken?: string | undefined
  /** The pinned executions of the project. Default: executions can't be pinned. */
  readonly pins?: ServedPins | undefined
  /** Records what models answer, or answers in their place. Default: models are called and nothing is recorded. */
  readonly modelRecorder?: ModelRecorder | undefined
  /** Whether the schedules of the configuration start executions. Default: `true`. */
  readonly runsSchedules?: boolean
  /** Brings a schema on Postgres to this release. Default: `true`; otherwise another version is an error. */
  readonly migrate?: boolean
  /** Another server in this process serves the project: code outside of both is its, and `traces` has the traces. */
  readonly beside?: { readonly traces: TraceStore | undefined }
  /** Shows the user a link to log in at a connected MCP server, which is in no log. Default: only the console has it. */
  readonly onMcpLogin?: (serverId: string, link: string) => void
  /** The evals of the project as saved. Default: no runs are started here. */
  readonly savedEvals?: SavedEvals
}
