import type { Api } from '../../../../api/api.ts'
import type { EventOf } from '../../../../api/call.ts'
import { ApiError } from '../../../../../client/api-error.ts'
import { isUnreadable } from './load-thread.ts'

/** The chunks of an answer. */
export type Chunks = AsyncGenerator<EventOf<'chat'>>

interface Chat {
  readonly api: Api
  readonly agentId: string
  readonly conversationId: string
}

/** The answer in progress from its start; nothing if there is none that can be resumed. */
export async function* runningAnswer({ api, agentId, conversationId }: Chat, signal: AbortSignal): Chunks {
  const params = { id: agentId, chatId: conversationId }
  try {
    yield* api.events('resumeChat', { params, signal, quiet: true })
  } catch (error) {
    if (!isUnreadable(error)) throw error
  }
}

/** Ends the answers that run at the server. Those that did not `outlive` their client may have ended with it. */
export async function stopAnswers(chat: Chat, outlives: boolean): Promise<void> {
  const { api, agentId, conversationId } = chat
  if (!outlives && !(await isResumable(chat))) return
  await api.call('stopChat', { params: { id: agentId, chatId: conversationId } })
}

async function isResumable(chat: Chat): Promise<boolean> {
  const abort = new AbortController()
  const { done } = await runningAnswer(chat, abort.signal).next()
  abort.abort()
  return done !== true
}

/** A stream whose first value was read. */
export async function* withFirst<T>(first: T, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  yield first
  yield* rest
}

/** Whether the server may answer the same request later. Browsers report a lost connection as a TypeError only. */
export function isOutage(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 0 || error.status >= 500
  return error instanceof TypeError
}

/** Resolves after a time, or when the signal aborts. */
export function passed(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => [clearTimeout(timer), resolve()], { once: true })
  })
}
