import type { ConversationFilter, ConversationRow } from '../agents/conversation-store.ts'
import { patternOf, wordsIn } from './like-pattern.ts'

interface ConversationSql {
  /** A condition with the JSON of a user id. */
  readonly user: string
  /** A condition with the id of an agent. */
  readonly agent: string
  /** A condition with a pattern for the title. */
  readonly like: string
}

interface Condition {
  readonly sql: string
  readonly values: readonly string[]
}

/** The conditions of a filter, in the SQL of a backend. */
export function conversationConditions(
  { userId, ownerless, agentId, words = [] }: ConversationFilter,
  { user, agent, like }: ConversationSql,
): Condition[] {
  return [
    ...(userId === undefined ? [] : [{ sql: user, values: [JSON.stringify(userId)] }]),
    ...(ownerless === true ? [{ sql: 'owner IS NULL', values: [] }] : []),
    ...(agentId === undefined ? [] : [{ sql: agent, values: [agentId] }]),
    ...words.map((word) => ({ sql: like, values: [patternOf(word)] })),
  ]
}

/** The rows whose title has the words; patterns of words beyond ASCII match too many. */
export function titledRows(
  rows: ConversationRow[],
  { words = [] }: ConversationFilter,
): readonly ConversationRow[] {
  const hasWords = wordsIn(words)
  return hasWords ? rows.filter(({ title }) => hasWords(title ?? '')) : rows
}
