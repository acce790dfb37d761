import type { CallJournal } from '../../../agent/answer/journal/call-journal.ts'
import type { RecordedCall } from '../../../store/agents/agent-journal.ts'
import type { AgentRunStore } from '../../../store/agent-store.ts'
import { RunAborted } from '../../run/errors.ts'
import type { DurableOrigin } from './durable-origin.ts'
import type { GroupWrites } from './group-writes.ts'

interface StoredJournalDeps {
  readonly runId: string
  /** The recorded values, JSON text by key. */
  readonly recorded: ReadonlyMap<string, string>
  readonly writes: GroupWrites<RecordedCall>
  /** Reads what this process and those before it have recorded. */
  readonly read: () => Promise<ReadonlyMap<string, string>>
  /** Called when a call was recorded: the run makes progress. */
  readonly onRecorded?: (() => void) | undefined
  /** Called when the run has ended, or another process continues it. */
  readonly onFenced: (reason: RunAborted) => void
}

/** The journal of a run in the store. */
export class StoredJournal implements CallJournal {
  readonly #deps: StoredJournalDeps
  readonly #recorded: Map<string, string>
  readonly #writing = new Set<Promise<boolean>>()
  #isClosed = false

  constructor(deps: StoredJournalDeps) {
    this.#deps = deps
    this.#recorded = new Map(deps.recorded)
  }

  recall(key: string): unknown {
    const value = this.#recorded.get(key)
    // each is recalled once
    this.#recorded.delete(key)
    return value === undefined ? undefined : (JSON.parse(value) as unknown)
  }

  async record(key: string, value: unknown): Promise<void> {
    const { runId, writes, onRecorded, onFenced } = this.#deps
    if (!this.#isClosed) {
      const writing = writes.add({ runId, key, value: JSON.stringify(value) })
      this.#writing.add(writing)
      const isStored = await writing.finally(() => this.#writing.delete(writing))
      if (isStored) return onRecorded?.()
    }
    const reason = new RunAborted('fenced', 'The run has ended, or another machine continues it')
    onFenced(reason)
    throw reason
  }

  /** Records nothing more. Returns all that was recorded. */
  async close(): Promise<ReadonlyMap<string, string>> {
    this.#isClosed = true
    await Promise.allSettled(this.#writing)
    return new Map([...this.#deps.recorded, ...(await this.#deps.read())])
  }
}

/** The journal of a run, which stops when another process continues it. */
export function openJournal(
  run: { readonly id: string; stop(reason: Error): void },
  { recorded = new Map(), onRecorded }: Pick<DurableOrigin, 'recorded' | 'onRecorded'>,
  { writes, runs }: { readonly writes: GroupWrites<RecordedCall>; readonly runs: AgentRunStore },
): StoredJournal {
  const onFenced = (reason: RunAborted) => run.stop(reason)
  const read = () => runs.calls(run.id)
  return new StoredJournal({ runId: run.id, recorded, writes, read, onRecorded, onFenced })
}
