/** Resume data: for each suspension in order, or by the ids of the steps. */
export type ProofResume = readonly unknown[] | Readonly<Record<string, unknown>>

/** An event that a run is sent. */
export interface ProofEvent {
  /** Name of the event. */
  readonly name: string
  /** Key of the event. */
  readonly key?: string
  /** Data of the event. */
  readonly data?: unknown
  /** The id of the step after which it is sent. Default: when a step waits for it. */
  readonly after?: string
}
