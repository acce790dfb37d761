import type { CallJournal } from '../../../agent/answer/journal/call-journal.ts'
import type { RecordedCall } from '../../../store/agents/agent-journal.ts'
import { RunAborted } from '../../run/errors.ts'
import type { DurableOrigin } from './durable-origin.ts'
import type { GroupWrites } from './group-writes.ts'

interface StoredJournalDeps {
  readonly runId: string
  /** The recorded values, JSON text by key. */
  readonly recorded: ReadonlyMap<string, string>
  readonly writes: GroupWrites<RecordedCall>
  /** Called when a call was recorded: the run makes progress. */
  readonly onRecorded?: (() => void) | undefined
  /** Called when the run has ended, or another process continues it. */
  readonly onFenced: (reason: RunAborted) => void
}

/** The journal of a run in the store. */
class StoredJournal implements CallJournal {
  readonly #deps: StoredJournalDeps
  readonly #recorded: Map<string, string>

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
    if (await writes.add({ runId, key, value: JSON.stringify(value) })) return onRecorded?.()
    const reason = new RunAborted('fenced', 'The run has ended, or another machine continues it')
    onFenced(reason)
    throw reason
  }
}

/** The journal of a run, which stops when another process continues it. */
export function openJournal(
  run: { readonly id: string; stop(reason: Error): void },
  { recorded = new Map(), onRecorded }: Pick<DurableOrigin, 'recorded' | 'onRecorded'>,
  writes: GroupWrites<RecordedCall>,
): StoredJournal {
  const onFenced = (reason: RunAborted) => run.stop(reason)
  return new StoredJournal({ runId: run.id, recorded, writes, onRecorded, onFenced })
}
