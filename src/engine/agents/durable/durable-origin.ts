import type { RecordedCalls } from '../../../agent/answer/journal/recorded-calls.ts'
import type { Road } from './road.ts'

/** The origin of a run that survives its process. */
export interface DurableOrigin {
  /** `null` for an answer that ends with its client. */
  readonly road: Road | null
  /** By which what requested it finds it again. */
  readonly requestKey?: string
  /** It has begun before: what it asks of sub-agents may have been asked. */
  readonly goesOn?: boolean
  /** Records its calls. */
  readonly calls: RecordedCalls
  /** Whether what requested it tries again after this failure. Then a run that has waited is kept for that. */
  readonly isRetried?: ((failure: unknown) => boolean) | undefined
}
