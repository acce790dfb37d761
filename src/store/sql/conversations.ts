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
  NewConversation,
  OpenMessages,
  SummaryChange,
  SummaryClaim,
  SummaryState,
} from '../agents/conversation-store.ts'
import type { Page } from '../page.ts'
import { patternOf, wordsIn } from '../rows/like-pattern.ts'
import { openMessages } from '../rows/running-messages.ts'
import type { OpenMessagesRow } from '../rows/running-messages.ts'
import { given, valuesOf, whereAll } from './conditions.ts'
import type { Condition } from './conditions.ts'
import type { Dialect } from './dialect.ts'
import { pruneOldestOf } from './prune-oldest.ts'
import { tx } from './sql.ts'
import type { Sql } from './sql.ts'

/** Maximum number of characters of a page, so that a response with files stays small. A page has one message at least. */
const MAX_PAGE_CHARACTERS = 8 * 1024 * 1024

const OF_KEY = 'user_key = ? AND id = ?'
const MESSAGES = `FROM conversations JOIN messages ON conversation = number AND seq > forgotten WHERE ${OF_KEY}`

const OWNER = `SELECT owner FROM conversations WHERE ${OF_KEY}`
const NEWEST = `SELECT message ${MESSAGES} ORDER BY seq DESC LIMIT ?`
const SIZES = `SELECT seq, starts, length(message) AS characters ${MESSAGES} AND seq < ? ORDER BY seq DESC`
const RANGE = `SELECT seq, starts, message ${MESSAGES} AND seq > ? AND seq <= ? ORDER BY seq`
const OPEN = `SELECT r.id AS "runId", r.running_messages AS "runningMessages", r.continuation FROM conversations c
  JOIN agent_runs r ON r.conversation = c.number WHERE c.user_key = ? AND c.id = ? ORDER BY r.started_at, r.number`
const SUMMARY = `SELECT summary, summarised, forgotten + 1 AS first, last_message AS last FROM conversations WHERE ${OF_KEY}`
const CLAIM_SUMMARY = `UPDATE conversations SET claimed_until = ?
  WHERE ${OF_KEY} AND summarised = ? AND coalesce(claimed_until, 0) <= ?`
/** A replaced or deleted message is not valid any more, and neither is a summary of it. */
const SUMMARISE = `UPDATE conversations SET summary = ?, summarised = ?, claimed_until = NULL
  WHERE ${OF_KEY} AND summarised = ? AND forgotten < ? AND last_message >= ?`
const CREATE = `INSERT INTO conversations (user_key, id, owner, title, agents, created_at, updated_at)
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (user_key, id) DO NOTHING`
const RENAME = `UPDATE conversations SET title = ? WHERE ${OF_KEY}`
/** With its messages. A run that has no row any more can't end, and adds none. */
const DELETE = `DELETE FROM conversations WHERE ${OF_KEY}`
const DELETE_RUNS = `DELETE FROM agent_runs WHERE conversation_id = ? AND user_id IS NOT DISTINCT FROM ?
  RETURNING id, trace_id AS "traceId", ended_at IS NULL AS "isOpen"`

const columnsOf = ({ jsonNumber }: Dialect) => `user_key AS "userKey", id AS "conversationId", owner, title,
  created_at AS "createdAt", updated_at AS "updatedAt", agents,
  (SELECT count(*) FROM messages WHERE conversation = number AND starts = true AND seq > forgotten)
    -- an answer that waits has steps
    + (SELECT CAST(coalesce(sum(${jsonNumber('running_messages', 'count')} + CASE WHEN steps IS NULL THEN 0 ELSE 1 END), 0) AS bigint)
       FROM agent_runs WHERE conversation = conversations.number) AS "messageCount"`

/** Conversations. Agent runs add to them as they end. */
export class SqlConversations implements ConversationStore {
  readonly prune: ConversationStore['prune']
  readonly #sql: Sql
  readonly #columns: string
  readonly #get: string
  readonly #onCommitted: (ids: readonly string[]) => void

  /** Calls `onCommitted` with the ids of runs that were deleted. */
  constructor(sql: Sql, onCommitted: (ids: readonly string[]) => void = () => undefined) {
    this.#sql = sql
    this.#columns = columnsOf(sql.dialect)
    this.#get = `SELECT ${this.#columns} FROM conversations WHERE ${OF_KEY}`
    this.#onCommitted = onCommitted
    this.prune = pruneOldestOf(sql, { table: 'conversations', age: 'updated_at' })
  }

  async owner(key: ConversationKey): Promise<string | null> {
    return (await this.#sql.first<{ owner: string | null }>(OWNER, keyValues(key)))?.owner ?? null
  }

  async get(key: ConversationKey): Promise<ConversationRow | undefined> {
    const row = await this.#sql.first<FlatRow>(this.#get, keyValues(key))
    return row && conversationRow(row)
  }

  async create(
    key: ConversationKey,
    { owner, title, agentIds, createdAt }: NewConversation,
  ): Promise<boolean> {
    const values = [...keyValues(key), owner, title, JSON.stringify(agentIds), createdAt, createdAt]
    return (await this.#sql.run(CREATE, values)) > 0
  }

  async list(filter: ConversationFilter, { limit, offset }: Page): Promise<ConversationRow[]> {
    const conditions = this.#conditionsOf(filter)
    const rows = await this.#sql.filtered<FlatRow>(
      `SELECT ${this.#columns} FROM conversations ${whereAll(conditions)}
       ORDER BY updated_at DESC, number DESC LIMIT ? OFFSET ?`,
      [...valuesOf(conditions), limit, offset],
    )
    // patterns of words beyond ASCII match too many
    const hasWords = wordsIn(filter.words ?? [])
    return rows.filter(({ title }) => hasWords?.(title ?? '') ?? true).map((row) => conversationRow(row))
  }

  async count(filter: ConversationFilter): Promise<number> {
    const conditions = this.#conditionsOf(filter)
    const text = `SELECT count(*) AS total FROM conversations ${whereAll(conditions)}`
    const [row] = await this.#sql.filtered<{ total: number }>(text, valuesOf(conditions))
    return row?.total ?? 0
  }

  async messages(key: ConversationKey, limit: number): Promise<string[]> {
    const rows = await this.#sql.all<{ message: string }>(NEWEST, [...keyValues(key), limit])
    return rows.map(({ message }) => message).toReversed()
  }

  async page(key: ConversationKey, range: MessagePage): Promise<MessageRow[]> {
    const end = range.before ?? Number.MAX_SAFE_INTEGER
    const first = pageStart(await this.#sql.all<MessageSize>(SIZES, [...keyValues(key), end]), range)
    return first === undefined ? [] : this.range(key, { after: first - 1, upTo: end - 1 })
  }

  async range(key: ConversationKey, { after, upTo }: MessageRange): Promise<MessageRow[]> {
    const rows = await this.#sql.all<FlatMessage>(RANGE, [...keyValues(key), after, upTo])
    return rows.map((row) => ({ ...row, starts: Boolean(row.starts) }))
  }

  async open(key: ConversationKey): Promise<OpenMessages[]> {
    return (await this.#sql.all<OpenMessagesRow>(OPEN, keyValues(key))).map((row) => openMessages(row))
  }

  summary(key: ConversationKey): Promise<SummaryState | undefined> {
    return this.#sql.first(SUMMARY, keyValues(key))
  }

  async claimSummary(key: ConversationKey, { from, now, until }: SummaryClaim): Promise<boolean> {
    return (await this.#sql.run(CLAIM_SUMMARY, [until, ...keyValues(key), from, now])) > 0
  }

  async summarise(key: ConversationKey, { summary, from, upTo }: SummaryChange): Promise<boolean> {
    return (await this.#sql.run(SUMMARISE, [summary, upTo, ...keyValues(key), from, upTo, upTo])) > 0
  }

  async rename(key: ConversationKey, title: string): Promise<boolean> {
    return (await this.#sql.run(RENAME, [title, ...keyValues(key)])) > 0
  }

  async delete(key: ConversationKey): Promise<DeletedConversation | undefined> {
    const rows = await this.#sql.transaction(function* () {
      if ((yield* tx.run(DELETE, keyValues(key))) === 0) return undefined
      return yield* tx.all<FlatRun>(DELETE_RUNS, [key.conversationId, key.userId])
    })
    if (!rows) return undefined
    this.#onCommitted(rows.map(({ id }) => id))
    return { runs: rows.map((run) => ({ ...run, isOpen: Boolean(run.isOpen) })) }
  }

  #conditionsOf(filter: ConversationFilter): Condition[] {
    const { userId, conversationId, ownerless, agentId, words = [] } = filter
    const { jsonHas, like } = this.#sql.dialect
    return [
      ...given(userId, (id) => ({ text: 'user_key = ?', values: [JSON.stringify(id)] })),
      ...given(conversationId, (id) => ({ text: 'id = ?', values: [id] })),
      ...(ownerless === true ? [{ text: 'owner IS NULL', values: [] }] : []),
      ...given(agentId, (id) => ({ text: jsonHas('agents'), values: [id] })),
      ...words.map((word) => ({ text: like('title'), values: [patternOf(word)] })),
    ]
  }
}

/** The values of the columns of a key. */
export function keyValues({ userId, conversationId }: ConversationKey): [userKey: string, id: string] {
  return [JSON.stringify(userId), conversationId]
}

interface FlatRow extends Omit<ConversationRow, 'userId' | 'agentIds'> {
  /** JSON. */
  readonly userKey: string
  readonly agents: string
}

interface FlatMessage extends Omit<MessageRow, 'starts'> {
  readonly starts: boolean | number
}

interface FlatRun extends Omit<DeletedRun, 'isOpen'> {
  readonly isOpen: boolean | number
}

interface MessageSize extends Omit<FlatMessage, 'message'> {
  readonly characters: number
}

function conversationRow({ userKey, agents, ...row }: FlatRow): ConversationRow {
  return { ...row, userId: JSON.parse(userKey) as string | null, agentIds: JSON.parse(agents) as string[] }
}

/**
 * The number of the first row of a page. `rows` are those before its end, newest first. `undefined` without rows.
 */
function pageStart(rows: readonly MessageSize[], { limit }: MessagePage): number | undefined {
  let start: number | undefined
  let characters = 0
  let messages = 0
  for (const row of rows) {
    characters += row.characters
    if (start !== undefined && characters > MAX_PAGE_CHARACTERS) return start
    if (!row.starts) continue
    start = row.seq
    messages += 1
    if (messages === limit) return start
  }
  // rows without a start: the beginning of their message was deleted as one of the oldest
  return rows.at(-1)?.seq
}
