/** What is kept of the runs that survive their process: what they need to continue, and the parts of their answers. */
export interface AgentJournalStore {
  /**
   * What is needed to continue a run, as JSON text, or to replay one of a caller that has ended; null for one that ends with
   * its process, and for a part of a step or another run that has ended.
   */
  continuation(id: string): Promise<string | null>
  /** Makes this process the owner of a run of the owner `from`. `false` if the run has ended or another owner. */
  claim(id: string, from: number): Promise<boolean>
  /** Adds to the parts of answers. `false` for those of runs that this process does not own any more. */
  appendParts(parts: readonly AnswerParts[]): Promise<readonly boolean[]>
  /** Parts after the number `after`, in their order. A run that is continued begins again with part 1. */
  parts(
    id: string,
    range: { readonly after: number; readonly limit: number },
  ): Promise<readonly StoredParts[]>
  /** Deletes the parts of up to `limit` runs that ended before this time. Returns the number of these runs. */
  pruneParts(endedBefore: number, limit: number): Promise<number>
}

/** Successive parts of an answer. */
export interface StoredParts {
  /** The number of the last one, from 1. */
  readonly seq: number
  /** JSON texts, one per line. */
  readonly data: string
}

export interface AnswerParts extends StoredParts {
  readonly runId: string
}
