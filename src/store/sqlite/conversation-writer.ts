import { MAX_MESSAGES } from '../agents/conversation-store.ts'
import type { RunningMessages } from '../agents/conversation-store.ts'
import { keyValues } from '../sql/conversations.ts'
import { SQLITE } from '../sql/dialect.ts'
import type { Database, Statement } from './driver.ts'

/** Begins a conversation, or changes one that is there. */
const PUT = `INSERT INTO conversations (user_key, id, owner, title, created_at, agents, updated_at, last_message, forgotten)
  VALUES (?1, ?2, ?3, ?4, ?5, json_array(?6), ?7, ?8, max(?8 - ${MAX_MESSAGES}, 0))
  ON CONFLICT (user_key, id) DO UPDATE SET owner = coalesce(owner, excluded.owner), title = coalesce(title, excluded.title),
    agents = CASE WHEN ${SQLITE.jsonHas('agents').replace('?', '?6')} THEN agents ELSE json_insert(agents, '$[#]', ?6) END`

const BEGIN = `${PUT} RETURNING number`
const EXTEND = `${PUT}, updated_at = excluded.updated_at, last_message = last_message + ?8,
    forgotten = CASE WHEN ?9 THEN last_message ELSE max(forgotten, last_message + ?8 - ${MAX_MESSAGES}) END,
    summary = CASE WHEN ?9 AND summary IS NOT ?10 THEN NULL ELSE summary END,
    summarised = CASE WHEN NOT ?9 THEN summarised WHEN summary = ?10 THEN last_message + ?11 ELSE 0 END
  RETURNING number, last_message AS lastMessage, forgotten`

/** What agent runs add to conversations, in the transaction of their caller. */
export class ConversationWriter {
  readonly #begin: Statement
  readonly #extend: Statement
  readonly #insert: Statement
  readonly #forget: Statement

  constructor(database: Database) {
    this.#begin = database.prepare(BEGIN)
    this.#extend = database.prepare(EXTEND)
    this.#insert = database.prepare(
      'INSERT INTO messages (conversation, seq, message, starts) VALUES (?, ?, ?, ?)',
    )
    this.#forget = database.prepare('DELETE FROM messages WHERE conversation = ? AND seq <= ?')
  }

  /** Begins a conversation, or adds an agent to one. Returns its number. */
  begin(runningMessages: RunningMessages): number {
    const [row] = this.#begin.all(...startOf(runningMessages), runningMessages.startedAt, 0) as {
      number: number
    }[]
    return (row as { number: number }).number
  }

  extend(runningMessages: RunningMessages, now: number): void {
    const { messages, starts, replace, keptSummary } = runningMessages
    const { summary = null, count = 0 } = keptSummary ?? {}
    const values = [...startOf(runningMessages), now, messages.length, Number(replace), summary, count]
    const [row] = this.#extend.all(...values)
    const { number, lastMessage, forgotten } = row as Extended
    const before = lastMessage - messages.length
    for (const [index, message] of messages.entries())
      this.#insert.run(number, before + 1 + index, message, starts[index] === true ? 1 : 0)
    if (forgotten > 0) this.#forget.run(number, forgotten)
  }
}

interface Extended {
  readonly number: number
  readonly lastMessage: number
  readonly forgotten: number
}

function startOf({ key, owner, title, startedAt, agentId }: RunningMessages) {
  return [...keyValues(key), owner, title, startedAt, agentId] as const
}
