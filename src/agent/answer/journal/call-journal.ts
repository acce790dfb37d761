/** The record of the calls of one run, with which another process continues it. */
export interface CallJournal {
  /** The recorded value of a call; `undefined` when it is not recorded. */
  recall(key: string): unknown
  /**
   * Records a call. Resolves when it is stored.
   *
   * @throws the reason for which the run must not continue here, such as another owner.
   */
  record(key: string, value: unknown): Promise<void>
}
