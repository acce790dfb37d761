import type { ProjectSource } from '../http/services.ts'
import type { ServerLogs } from '../observability/logs/server-logs.ts'

export interface LiveServerOptions {
  /** The project's directory, absolute. */
  readonly root: string
  readonly production: boolean
  /** What is logged is stored in the configured database, and told in its channels. */
  readonly logs: ServerLogs
  /** Where the configuration is read from, when it is from files. */
  readonly project?: ProjectSource
  /** Takes up what `.env` now says of these variables, where nothing watches it. */
  readonly applyEnv?: (names: readonly string[]) => void
  /** Only look at the database, beside a process that may own it. */
  readonly readOnly?: boolean
  /** Take up what an earlier process left running, and delete what retention no longer covers. Default true. */
  readonly recover?: boolean
}
