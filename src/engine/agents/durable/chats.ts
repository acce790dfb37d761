import type { AgentRunFilter, AgentRunRow } from '../../../store/agent-store.ts'
import type { Store } from '../../../store/store.ts'
import { replayChunks } from '../../../agent/answer/formats/chat-replay.ts'
import type { StoredContinuation } from '../continuation.ts'
import type { KeptAnswers } from './kept-answers.ts'
import { formatOf, lastPartOf } from './delivery-formats.ts'

/** More than one answer in a chat at a time is a mistake of a client; all of them are found. */
const PAGE = { limit: 100, offset: 0 }

/** The chat of a user with an agent. `userId` is null for one without a user, undefined for any. */
export interface ChatKey extends Pick<AgentRunFilter, 'userId'> {
  readonly agentId: string
  readonly conversationId: string
}

interface ChatsDeps {
  readonly store: Pick<Store, 'agentRuns'>
  readonly answers: KeptAnswers
  readonly cancel: (runId: string) => Promise<boolean>
}

/** The answers of chats that are in progress, on whatever machine. */
export class Chats {
  readonly #deps: ChatsDeps

  constructor(deps: ChatsDeps) {
    this.#deps = deps
  }

  /** The stream of the newest answer that can be resumed, from its start; `undefined` without one. */
  async resume(key: ChatKey, signal: AbortSignal): Promise<AsyncGenerator | undefined> {
    for (const row of await this.#running(key)) {
      const continuation = await this.#continuationOf(row)
      // the parts of other streams can't be shown in a chat
      const format = continuation?.delivery === 'chat' ? formatOf('chat', row) : undefined
      if (!format) continue
      const parts = this.#deps.answers.read(row, (ended) => lastPartOf(format, ended), signal)
      return continuation?.waiting ? withEarlier(replayChunks(row.id, continuation.waiting), parts) : parts
    }
    return undefined
  }

  /** Aborts the answers in progress; those that wait for a person keep waiting. `false` without one. */
  async stop(key: ChatKey): Promise<boolean> {
    const rows = await this.#running(key)
    const stopped = await Promise.all(rows.map(({ id }) => this.#deps.cancel(id)))
    return stopped.includes(true)
  }

  #running(key: ChatKey): Promise<readonly AgentRunRow[]> {
    return this.#deps.store.agentRuns.list({ ...key, status: 'running' }, PAGE)
  }

  async #continuationOf({ id }: AgentRunRow): Promise<StoredContinuation | undefined> {
    const text = await this.#deps.store.agentRuns.continuation(id)
    return text === null ? undefined : (JSON.parse(text) as StoredContinuation)
  }
}

/** A run that waited keeps the parts since then. */
async function* withEarlier(earlier: Iterable<unknown>, parts: AsyncGenerator): AsyncGenerator {
  yield* earlier
  yield* parts
}
