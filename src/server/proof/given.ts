/** Resume data: for each suspension in order, or by the ids of the steps. */
export type ProofResume = readonly unknown[] | Readonly<Record<string, unknown>>

/** An event that a run is sent. */
export interface ProofEvent {
  readonly name: string
  readonly key?: string
  readonly data?: unknown
  /** The id of the step after which it is sent. Default: when a step waits for it. */
  readonly after?: string
}
