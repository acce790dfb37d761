import type {
  ConversationFilter,
  ConversationKey,
  ConversationRow,
  ConversationStore,
  DeletedConversation,
  DeletedRun,
  MessagePage,
  MessageRange,
  MessageRow,
  OpenExchange,
  SummaryChange,
  SummaryClaim,
  SummaryState,
} from '../../agents/conversation-store.ts'
import type { Page } from '../../page.ts'
import type { Retention } from '../../retention.ts'
import { conversationConditions, titledRows } from '../../rows/conversation-conditions.ts'
import { openExchange } from '../../rows/open-exchange.ts'
import type { OpenExchangeRow } from '../../rows/open-exchange.ts'
import { pageStart } from '../../rows/message-page.ts'
import type { MessageSize } from '../../rows/message-page.ts'
import type { Databases } from '../connection/database.ts'
import { escapeNul, unescapeNul } from '../escape-nul.ts'
import { numberParameters } from '../parameters.ts'
import { valuesOf, whereAll } from '../../sql/conditions.ts'
import type { Condition } from '../../sql/conditions.ts'
import { pruneOldest } from '../prune-oldest.ts'

const OF_KEY = 'user_key = $1 AND id = $2'
const CONVERSATIONS = { table: 'conversations', age: 'updated_at', condition: 'true' } as const

const COLUMNS = `user_key AS "userKey", id AS "conversationId", owner, title, created_at AS "createdAt",
  updated_at AS "updatedAt", agents AS "agentIds",
  (SELECT count(*) FROM messages WHERE conversation = number AND starts AND seq > forgotten)
    -- an answer that waits has steps
    + (SELECT coalesce(sum((exchange::json ->> 'count')::int + (steps IS NOT NULL)::int), 0)
       FROM agent_runs WHERE conversation = conversations.number) AS "messageCount"`

const MESSAGES = 'FROM conversations JOIN messages ON conversation = number AND seq > forgotten'

/** A replaced or deleted message is not valid any more, and neither is a summary of it. */
const SUMMARISE = `UPDATE conversations SET summary = $3, summarised = $5, claimed_until = NULL
  WHERE ${OF_KEY} AND summarised = $4 AND forgotten < $5 AND last_message >= $5`

/** The messages are deleted with their conversation. A run that has no row any more can't end, and adds no messages. */
const DELETE = `WITH conversation AS (DELETE FROM conversations WHERE ${OF_KEY} RETURNING 1),
  runs AS (
    DELETE FROM agent_runs WHERE conversation_id = $2 AND user_id IS NOT DISTINCT FROM $3
      AND EXISTS (SELECT 1 FROM conversation) RETURNING id, trace_id, ended_at
  )
  SELECT runs.id, runs.trace_id AS "traceId", runs.ended_at IS NULL AS "isOpen" FROM conversation LEFT JOIN runs ON true`

interface PostgresConversationDeps {
  readonly databases: Pick<Databases, 'writes' | 'reads'>
  /** Called with the ids of the runs that were deleted. */
  readonly onCommitted: (ids: readonly string[]) => void
}

/** Conversations in Postgres. Agent runs add to them as they end. */
export class PostgresConversations implements ConversationStore {
  readonly #databases: PostgresConversationDeps['databases']
  readonly #onCommitted: PostgresConversationDeps['onCommitted']

  constructor({ databases, onCommitted }: PostgresConversationDeps) {
    this.#databases = databases
    this.#onCommitted = onCommitted
  }

  async owner(key: ConversationKey): Promise<string | null> {
    const [row] = await this.#databases.reads.rows<{ owner: string | null }>({
      name: 'conversation-owner',
      text: `SELECT owner FROM conversations WHERE ${OF_KEY}`,
      values: keyValues(key),
    })
    return row?.owner ?? null
  }

  async get(key: ConversationKey): Promise<ConversationRow | undefined> {
    const [row] = await this.#databases.reads.rows<FlatRow>({
      name: 'get-conversation',
      text: `SELECT ${COLUMNS} FROM conversations WHERE ${OF_KEY}`,
      values: keyValues(key),
    })
    return row && conversationRow(row)
  }

  async list(filter: ConversationFilter, page: Page): Promise<readonly ConversationRow[]> {
    const conditions = conditionsOf(filter)
    const rows = await this.#databases.reads.rows<FlatRow>({
      text: numberParameters(
        `SELECT ${COLUMNS} FROM conversations ${whereAll(conditions)}
         ORDER BY updated_at DESC, number DESC LIMIT ? OFFSET ?`,
      ),
      values: [...valuesOf(conditions), page.limit, page.offset],
    })
    return titledRows(
      rows.map((row) => conversationRow(row)),
      filter,
    )
  }

  async count(filter: ConversationFilter): Promise<number> {
    const conditions = conditionsOf(filter)
    const [row] = await this.#databases.reads.rows<{ total: number }>({
      text: numberParameters(`SELECT count(*) AS total FROM conversations ${whereAll(conditions)}`),
      values: valuesOf(conditions),
    })
    return row?.total ?? 0
  }

  async messages(key: ConversationKey, limit: number): Promise<string[]> {
    const rows = await this.#databases.reads.rows<{ message: string }>({
      name: 'conversation-messages',
      text: `SELECT message ${MESSAGES} WHERE ${OF_KEY} ORDER BY seq DESC LIMIT $3`,
      values: [...keyValues(key), limit],
    })
    return rows.map(({ message }) => message).toReversed()
  }

  async page(key: ConversationKey, range: MessagePage): Promise<readonly MessageRow[]> {
    const end = range.before ?? Number.MAX_SAFE_INTEGER
    const sizes = await this.#databases.reads.rows<MessageSize>({
      name: 'conversation-message-sizes',
      text: `SELECT seq, starts, length(message) AS characters ${MESSAGES} WHERE ${OF_KEY} AND seq < $3
        ORDER BY seq DESC`,
      values: [...keyValues(key), end],
    })
    const first = pageStart(sizes, range)
    return first === undefined ? [] : this.range(key, { after: first - 1, upTo: end - 1 })
  }

  range(key: ConversationKey, { after, upTo }: MessageRange): Promise<readonly MessageRow[]> {
    return this.#databases.reads.rows<MessageRow>({
      name: 'conversation-message-range',
      text: `SELECT seq, starts, message ${MESSAGES} WHERE ${OF_KEY} AND seq > $3 AND seq <= $4 ORDER BY seq`,
      values: [...keyValues(key), after, upTo],
    })
  }

  async open(key: ConversationKey): Promise<OpenExchange[]> {
    const rows = await this.#databases.reads.rows<OpenExchangeRow>({
      name: 'open-exchanges',
      text: `SELECT r.id AS "runId", r.exchange, r.continuation FROM conversations c
        JOIN agent_runs r ON r.conversation = c.number WHERE c.user_key = $1 AND c.id = $2
        ORDER BY r.started_at, r.number`,
      values: keyValues(key),
    })
    return rows.map((row) => openExchange(row))
  }

  async summary(key: ConversationKey): Promise<SummaryState | undefined> {
    const [row] = await this.#databases.reads.rows<SummaryState>({
      name: 'conversation-summary',
      text: `SELECT summary, summarised, forgotten + 1 AS first, last_message AS last FROM conversations
        WHERE ${OF_KEY}`,
      values: keyValues(key),
    })
    return row && { ...row, summary: unescapeNul(row.summary) }
  }

  async claimSummary(key: ConversationKey, { from, now, until }: SummaryClaim): Promise<boolean> {
    const claimed = await this.#databases.writes.change({
      name: 'claim-summary',
      text: `UPDATE conversations SET claimed_until = $3
        WHERE ${OF_KEY} AND summarised = $4 AND coalesce(claimed_until, 0) <= $5`,
      values: [...keyValues(key), until, from, now],
    })
    return claimed > 0
  }

  async summarise(key: ConversationKey, { summary, from, upTo }: SummaryChange): Promise<boolean> {
    const values = [...keyValues(key), escapeNul(summary), from, upTo]
    const query = { name: 'summarise-conversation', text: SUMMARISE, values }
    return (await this.#databases.writes.change(query)) > 0
  }

  async rename(key: ConversationKey, title: string): Promise<boolean> {
    const changed = await this.#databases.writes.change({
      name: 'rename-conversation',
      text: `UPDATE conversations SET title = $3 WHERE ${OF_KEY}`,
      values: [...keyValues(key), escapeNul(title)],
    })
    return changed > 0
  }

  async delete(key: ConversationKey): Promise<DeletedConversation | undefined> {
    const rows = await this.#databases.writes.rows<Omit<DeletedRun, 'id'> & { readonly id: string | null }>({
      name: 'delete-conversation',
      text: DELETE,
      values: [...keyValues(key), escapeNul(key.userId)],
    })
    if (rows.length === 0) return undefined
    const runs = rows.flatMap(({ id, ...run }) => (id === null ? [] : [{ ...run, id }]))
    this.#onCommitted(runs.map(({ id }) => id))
    return { runs }
  }

  prune(retention: Retention, limit: number): Promise<number> {
    return pruneOldest(this.#databases.writes, CONVERSATIONS, { ...retention, limit })
  }
}

/** The columns of a key. */
export function keyValues({ userId, conversationId }: ConversationKey): readonly [string, string] {
  return [JSON.stringify(userId), escapeNul(conversationId)]
}

interface FlatRow extends Omit<ConversationRow, 'userId'> {
  /** JSON. */
  readonly userKey: string
}

function conversationRow({ userKey, ...row }: FlatRow): ConversationRow {
  return {
    ...row,
    userId: JSON.parse(userKey) as string | null,
    conversationId: unescapeNul(row.conversationId),
    title: unescapeNul(row.title),
  }
}

function conditionsOf(filter: ConversationFilter): Condition[] {
  return conversationConditions(filter, {
    user: 'user_key = ?',
    agent: '? = ANY (agents)',
    like: `title COLLATE "C" ILIKE ? ESCAPE '!'`,
  }).map(({ sql, values }) => ({ text: sql, values }))
}
