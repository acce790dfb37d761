/** In milliseconds. */
export interface DispatchTiming {
  /** How often a machine reports that it is alive. */
  readonly beatMs: number
  /** A machine that has not reported for this time is dead. */
  readonly leaseMs: number
  /** A machine whose report is as old as this can't tell whether others are alive. */
  readonly lateMs: number
  /** How often due jobs are looked for, where no notification announces them. */
  readonly pollMs: number
}

export const DISPATCH_TIMING: DispatchTiming = {
  beatMs: 1000,
  leaseMs: 3000,
  lateMs: 1500,
  pollMs: 500,
}
