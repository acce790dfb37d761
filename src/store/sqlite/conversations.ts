import { MAX_MESSAGES } from '../agents/conversation-store.ts'
import type {
  ConversationFilter,
  ConversationKey,
  ConversationRow,
  DeletedConversation,
  DeletedRun,
  Exchange,
  MessagePage,
  MessageRange,
  MessageRow,
  OpenExchange,
  SummaryChange,
  SummaryClaim,
  SummaryState,
} from '../agents/conversation-store.ts'
import type { Page } from '../page.ts'
import type { Retention } from '../retention.ts'
import { conversationConditions, titledRows } from '../rows/conversation-conditions.ts'
import { openExchange } from '../rows/open-exchange.ts'
import type { OpenExchangeRow } from '../rows/open-exchange.ts'
import { pageStart } from '../rows/message-page.ts'
import type { Database, SqlValue, Statement } from './driver.ts'
import { StatementCache } from './statement-cache.ts'
import { inTransaction } from './transaction.ts'

const COLUMNS = `user, id AS conversationId, owner, title, created_at AS createdAt, updated_at AS updatedAt, agents,
  (SELECT count(*) FROM messages WHERE conversation = number AND starts = 1)
    -- an answer that waits has steps
    + (SELECT coalesce(sum((exchange ->> '$.count') + (steps IS NOT NULL)), 0)
       FROM agent_runs WHERE conversation = conversations.number) AS messageCount`
const SQL = { user: 'user = ?', agent: 'EXISTS (SELECT 1 FROM json_each(agents) WHERE value = ?)' } as const

/** Conversations in SQLite. */
export class Conversations {
  readonly #database: Database
  readonly #filtered: StatementCache
  readonly #statements: ReturnType<typeof statementsOf>

  constructor(database: Database) {
    this.#database = database
    this.#filtered = new StatementCache(database)
    this.#statements = statementsOf(database)
  }

  owner(key: ConversationKey): string | null {
    return this.#row(key)?.owner ?? null
  }

  get(key: ConversationKey): ConversationRow | undefined {
    const [row] = this.#statements.get.all(...valuesOf(key)) as FlatRow[]
    return row && conversationRow(row)
  }

  list(filter: ConversationFilter, page: Page): readonly ConversationRow[] {
    const { where, values } = conditionsOf(filter)
    const sql = `SELECT ${COLUMNS} FROM conversations ${where} ORDER BY updated_at DESC, number DESC LIMIT ? OFFSET ?`
    const rows = this.#filtered.get(sql).all(...values, page.limit, page.offset) as FlatRow[]
    return titledRows(
      rows.map((row) => conversationRow(row)),
      filter,
    )
  }

  count(filter: ConversationFilter): number {
    const { where, values } = conditionsOf(filter)
    const [row] = this.#filtered.get(`SELECT count(*) AS total FROM conversations ${where}`).all(...values)
    return (row as { total: number }).total
  }

  messages(key: ConversationKey, limit: number): string[] {
    const number = this.#row(key)?.number
    if (number === undefined) return []
    const rows = this.#statements.newest.all(number, limit) as { message: string }[]
    return rows.map(({ message }) => message).toReversed()
  }

  page(key: ConversationKey, range: MessagePage): MessageRow[] {
    const number = this.#row(key)?.number
    if (number === undefined) return []
    const end = range.before ?? Number.MAX_SAFE_INTEGER
    const sizes = this.#statements.sizes.all(number, end) as (FlatMessage & { characters: number })[]
    const first = pageStart(
      sizes.map((size) => messageRow(size)),
      range,
    )
    return first === undefined ? [] : this.#read(number, { after: first - 1, upTo: end - 1 })
  }

  range(key: ConversationKey, range: MessageRange): MessageRow[] {
    const number = this.#row(key)?.number
    return number === undefined ? [] : this.#read(number, range)
  }

  #read(number: number, { after, upTo }: MessageRange): MessageRow[] {
    const rows = this.#statements.range.all(number, after, upTo) as FlatMessage[]
    return rows.map((row) => messageRow(row))
  }

  open(key: ConversationKey): OpenExchange[] {
    const number = this.#row(key)?.number
    if (number === undefined) return []
    return (this.#statements.open.all(number) as OpenExchangeRow[]).map((row) => openExchange(row))
  }

  summary(key: ConversationKey): SummaryState | undefined {
    const row = this.#row(key)
    if (!row) return undefined
    const { summary, summarised } = row
    const { first, last } = this.#statements.ends.get(row.number) as Ends
    return { summary, summarised, first: first ?? 1, last: last ?? 0 }
  }

  claimSummary(key: ConversationKey, { from, now, until }: SummaryClaim): boolean {
    return Number(this.#statements.claimSummary.run(until, ...valuesOf(key), from, now).changes) > 0
  }

  summarise(key: ConversationKey, { summary, from, upTo }: SummaryChange): boolean {
    return Number(this.#statements.summarise.run(summary, upTo, ...valuesOf(key), from, upTo).changes) > 0
  }

  rename(key: ConversationKey, title: string): boolean {
    return Number(this.#statements.rename.run(title, ...valuesOf(key)).changes) > 0
  }

  delete(key: ConversationKey): DeletedConversation | undefined {
    return inTransaction(this.#database, () => {
      const row = this.#row(key)
      if (!row) return undefined
      const runs = this.#statements.deleteRuns.all(key.conversationId, key.userId) as FlatRun[]
      this.#deleteRow(row)
      return { runs: runs.map((run) => ({ ...run, isOpen: run.isOpen === 1 })) }
    })
  }

  /** Begins a conversation, or adds an agent to one, in the caller's transaction. Returns its number. */
  start({ key, owner, agentId, title, startedAt }: Exchange): number {
    const { begin, addAgent } = this.#statements
    begin.run(...valuesOf(key), startedAt, owner, title, startedAt)
    const { number } = this.#row(key) as ConversationState
    addAgent.run(agentId, number, agentId)
    return number
  }

  /** Appends to a conversation, in the caller's transaction. */
  add(exchange: Exchange, now: number): void {
    const { key, owner, messages, starts, replace, agentId, title, startedAt, keptSummary } = exchange
    const { touch, last, insert, deleteUpTo, addAgent, resetSummary } = this.#statements
    touch.run(...valuesOf(key), now, owner, title, startedAt)
    const { number, summary } = this.#row(key) as ConversationState
    addAgent.run(agentId, number, agentId)
    const before = (last.get(number) as { seq: number | null }).seq ?? 0
    for (const [index, message] of messages.entries())
      insert.run(number, before + 1 + index, message, starts[index] === true ? 1 : 0)
    deleteUpTo.run(number, replace ? before : before + messages.length - MAX_MESSAGES)
    if (!replace || summary === null) return
    const kept = keptSummary?.summary === summary ? keptSummary : undefined
    resetSummary.run(kept?.summary ?? null, kept ? before + kept.count : 0, number)
  }

  prune({ endedBefore, keep }: Retention, limit: number): number {
    const { expired, total, oldest } = this.#statements
    const old = expired.all(endedBefore, limit)
    if (old.length > 0) return this.#delete(old)
    const surplus = (total.get() as { total: number }).total - keep
    return surplus > 0 ? this.#delete(oldest.all(Math.min(surplus, limit))) : 0
  }

  #row(key: ConversationKey): ConversationState | undefined {
    const [row] = this.#statements.find.all(...valuesOf(key)) as ConversationState[]
    return row
  }

  #delete(rows: readonly unknown[]): number {
    return inTransaction(this.#database, () => {
      for (const row of rows) this.#deleteRow(row as { number: number })
      return rows.length
    })
  }

  #deleteRow({ number }: { readonly number: number }): void {
    for (const statement of this.#statements.deletes) statement.run(number)
  }
}

function statementsOf(database: Database) {
  const prepare = (sql: string): Statement => database.prepare(sql)
  const ofKey = 'WHERE user = ? AND id = ?'
  const message = 'seq, starts, message'
  const start =
    'INSERT INTO conversations (user, id, updated_at, owner, title, created_at) VALUES (?, ?, ?, ?, ?, ?)'
  const known = `ON CONFLICT (user, id) DO UPDATE SET owner = coalesce(owner, excluded.owner),
    title = coalesce(title, excluded.title)`
  return {
    find: prepare(`SELECT number, owner, summary, summarised FROM conversations ${ofKey}`),
    get: prepare(`SELECT ${COLUMNS} FROM conversations ${ofKey}`),
    begin: prepare(`${start} ${known}`),
    touch: prepare(`${start} ${known}, updated_at = excluded.updated_at`),
    open: prepare(
      `SELECT id AS runId, exchange, continuation FROM agent_runs WHERE conversation = ? ORDER BY started_at, number`,
    ),
    addAgent: prepare(
      `UPDATE conversations SET agents = json_insert(agents, '$[#]', ?) WHERE number = ? AND NOT ${SQL.agent}`,
    ),
    rename: prepare(`UPDATE conversations SET title = ? ${ofKey}`),
    claimSummary: prepare(
      `UPDATE conversations SET claimed_until = ? ${ofKey} AND summarised = ? AND coalesce(claimed_until, 0) <= ?`,
    ),
    summarise: prepare(
      `UPDATE conversations SET summary = ?, summarised = ?, claimed_until = NULL ${ofKey} AND summarised = ?
         AND EXISTS (SELECT 1 FROM messages WHERE conversation = number AND seq = ?)`,
    ),
    resetSummary: prepare('UPDATE conversations SET summary = ?, summarised = ? WHERE number = ?'),
    newest: prepare('SELECT message FROM messages WHERE conversation = ? ORDER BY seq DESC LIMIT ?'),
    sizes: prepare(
      `SELECT seq, starts, length(message) AS characters FROM messages WHERE conversation = ? AND seq < ?
       ORDER BY seq DESC`,
    ),
    range: prepare(
      `SELECT ${message} FROM messages WHERE conversation = ? AND seq > ? AND seq <= ? ORDER BY seq`,
    ),
    ends: prepare('SELECT min(seq) AS first, max(seq) AS last FROM messages WHERE conversation = ?'),
    last: prepare('SELECT max(seq) AS seq FROM messages WHERE conversation = ?'),
    insert: prepare('INSERT INTO messages (conversation, seq, message, starts) VALUES (?, ?, ?, ?)'),
    deleteUpTo: prepare('DELETE FROM messages WHERE conversation = ? AND seq <= ?'),
    deleteRuns: prepare(
      'DELETE FROM agent_runs WHERE conversation_id = ? AND user_id IS ? RETURNING id, trace_id AS traceId, ended_at IS NULL AS isOpen',
    ),
    expired: prepare('SELECT number FROM conversations WHERE updated_at < ? ORDER BY updated_at LIMIT ?'),
    total: prepare('SELECT count(*) AS total FROM conversations'),
    oldest: prepare('SELECT number FROM conversations ORDER BY updated_at LIMIT ?'),
    deletes: [
      prepare('DELETE FROM messages WHERE conversation = ?'),
      prepare('DELETE FROM conversations WHERE number = ?'),
    ],
  }
}

interface ConversationState extends Pick<SummaryState, 'summary' | 'summarised'> {
  readonly number: number
  readonly owner: string | null
}

interface FlatRun extends Omit<DeletedRun, 'isOpen'> {
  readonly isOpen: number
}

interface Ends {
  readonly first: number | null
  readonly last: number | null
}

interface FlatMessage extends Omit<MessageRow, 'starts'> {
  readonly starts: number
}

interface FlatRow extends Omit<ConversationRow, 'userId' | 'agentIds'> {
  /** JSON. */
  readonly user: string
  readonly agents: string
}

function messageRow<Row extends { readonly starts: number }>(
  row: Row,
): Omit<Row, 'starts'> & { starts: boolean } {
  return { ...row, starts: row.starts === 1 }
}

function conversationRow({ user, agents, ...row }: FlatRow): ConversationRow {
  return { ...row, userId: JSON.parse(user) as string | null, agentIds: JSON.parse(agents) as string[] }
}

function valuesOf({ userId, conversationId }: ConversationKey): [string, string] {
  return [JSON.stringify(userId), conversationId]
}

function conditionsOf(filter: ConversationFilter): { where: string; values: SqlValue[] } {
  const conditions = conversationConditions(filter, { ...SQL, like: "title LIKE ? ESCAPE '!'" })
  return {
    where: conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`,
    values: conditions.flatMap(({ values }) => values),
  }
}
