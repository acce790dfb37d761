import type { Suspicion } from '../crash.ts'

/** What is kept of the runs that survive their process: what they need to continue, their calls, and the parts of their answers. */
export interface AgentJournalStore {
  /** What is needed to continue a run, as JSON text; null for a run that has ended, or ends with its process. */
  continuation(id: string): Promise<string | null>
  /**
   * Makes this process the owner of a run whose owner `from` has died, with what is known against it. `false` if the run has
   * ended or another owner. The run waits until `begin`: until then it is not in flight.
   */
  claim(id: string, from: number, known: Omit<Suspicion, 'trial'>): Promise<boolean>
  /** Continues a claimed run: from now on it is in flight. `false` if the run has ended or another owner. */
  begin(id: string): Promise<boolean>
  /** The process has survived the trial of a run. */
  pass(id: string): Promise<void>
  /** A call of a sub-agent of this run was recorded: the crashes so far are not its own. */
  progress(id: string): Promise<void>
  /** This process is about to end in good order: these runs are not in flight any more, and others continue them. */
  leave(ids: readonly string[]): Promise<void>
  /** Records calls. `false` for those of runs that this process does not own any more. */
  record(calls: readonly RecordedCall[]): Promise<readonly boolean[]>
  /** The recorded values of a run by their keys, until it ends or is suspended. */
  calls(id: string): Promise<ReadonlyMap<string, string>>
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

/** The answer of a model, or the result of a tool. */
export interface RecordedCall {
  readonly runId: string
  /** Unique in the run. */
  readonly key: string
  /** JSON text. */
  readonly value: string
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
