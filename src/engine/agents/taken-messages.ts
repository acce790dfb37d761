import type { AssistantModelMessage, ModelMessage } from 'ai'
import { textOfMessage } from '../../agent/answer/to-model-messages.ts'

type Messages = readonly ModelMessage[]

/** The new messages of a client: those of the user behind the last answer. */
export function newMessages(sent: Messages): Messages {
  const before = sent.findLastIndex(({ role }) => role !== 'user')
  return before === -1 ? sent : sent.slice(before + 1)
}

/** The messages without the calls and results of tools: those of a client have no run that made them. */
export function withoutToolCalls(sent: Messages): Messages {
  const kept = sent.flatMap((message): ModelMessage[] => {
    if (message.role === 'tool') return []
    if (message.role !== 'assistant' || typeof message.content === 'string') return [message]
    const content = message.content.filter((part) => !isOfTool(part))
    return content.length === message.content.length
      ? [message]
      : content.length > 0
        ? [{ ...message, content }]
        : []
  })
  return kept.length === sent.length && kept.every((message, index) => message === sent[index]) ? sent : kept
}

function isOfTool({ type }: Exclude<AssistantModelMessage['content'], string>[number]): boolean {
  return type.startsWith('tool-')
}

/**
 * The number of stored messages that come before the last message of a client that edits a message or requests another
 * answer: the turns of which the client sent the questions, in this order. The store lacks those that failed, and the
 * client may have loaded only the newest ones. `undefined` when the questions are not those of the conversation.
 */
export function keptCount(stored: Messages, sent: Messages): number | undefined {
  const turns = stored.flatMap((message, index) =>
    message.role === 'user' ? [{ index, text: textOfMessage(message) }] : [],
  )
  const texts = turns.map(({ text }) => text)
  const questions = sent.filter(({ role }) => role === 'user').map((message) => textOfMessage(message))
  const last = questions.pop() ?? ''
  const turn = turnsBefore(texts, questions, last)
  return turn === undefined ? undefined : (turns[turn]?.index ?? stored.length)
}

function turnsBefore(
  texts: readonly string[],
  questions: readonly string[],
  last: string,
): number | undefined {
  const lastTurn = texts.lastIndexOf(last)
  if (questions.length === 0) return texts[0] === last ? 0 : Math.max(lastTurn, 0)
  const starts = [0, ...[...texts.keys()].slice(1).toReversed()]
  let most = { start: 0, count: 0 }
  for (const start of starts) {
    const count = countInOrder(texts, start, questions)
    if (count > most.count) most = { start, count }
  }
  if (most.count > 0) return most.start + most.count
  return lastTurn === -1 ? undefined : lastTurn
}

/** How many texts from `start` on are among the questions, in this order. */
function countInOrder(texts: readonly string[], start: number, questions: readonly string[]): number {
  let at = start
  for (const question of questions) if (texts[at] === question) at++
  return at - start
}
