export interface Retention {
  /** What ended before this instant goes. */
  readonly endedBefore: number
  /** Of the others this many of the newest stay. */
  readonly keep: number
}
