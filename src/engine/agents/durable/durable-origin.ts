import type { RecordedTools } from '../../../agent/tools/recorded-tools.ts'
import type { Road } from './road.ts'

/** The origin of a run that survives its process. */
export interface DurableOrigin {
  /** `null` for an answer that ends with its client. */
  readonly road: Road | null
  /** By which what requested it finds it again. */
  readonly requestKey?: string
  /** The recorded calls of a run that is continued. */
  readonly recorded?: ReadonlyMap<string, string> | undefined
  /** For its tool calls, where they may make recorded calls. */
  readonly calls?: RecordedTools | undefined
  /** Called when a call of it was recorded. */
  readonly onRecorded?: (() => void) | undefined
  /** Whether what requested it tries again after this failure. Then a run that has waited is kept for that. */
  readonly isRetried?: ((failure: unknown) => boolean) | undefined
}
