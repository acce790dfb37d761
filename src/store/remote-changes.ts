/** Topic of all executions; it is not a valid id. */
export const ANY_EXECUTION = '*'

/** Changes of executions, and ends of agent runs, that other machines have stored. With a database of one process there are none. */
export interface RemoteChanges {
  /**
   * Calls `onChange` with the id of an execution or agent run that another machine may have changed, and with `ANY_EXECUTION` when
   * lists may have changed, until the returned function is called. `watched` names the topics that somebody waits for
   * here: these are also looked at again at intervals, so that a lost notification costs no more than a second.
   */
  follow(options: {
    readonly watched: () => Iterable<string>
    readonly onChange: (topic: string) => void
  }): () => void
  /** Makes the machines on which executions run look at them again. */
  announce(executionIds: readonly string[]): void
}
