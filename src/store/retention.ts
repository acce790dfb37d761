export interface Retention {
  /** Records that ended before this time are deleted. */
  readonly endedBefore: number
  /** Maximum number of ended records that are kept, the newest ones. */
  readonly keep: number
}
