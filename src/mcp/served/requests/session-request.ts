import type { ServerContext } from '@modelcontextprotocol/server'
import { startDeadline } from '../../../lib/async/deadline.ts'
import { AppError } from '../../../lib/errors.ts'
import type { Offer } from './handle-request.ts'
import type { ClientRequest } from './client-requests.ts'
import type { ClientSession } from '../sessions/client-sessions.ts'

export interface SessionCall extends Pick<Offer, 'made'> {
  readonly session: ClientSession
  readonly context: ServerContext
  /** Of the call that asks. */
  readonly signal: AbortSignal
}

/**
 * Asks a client of the 2025 revisions on the stream of its own call; the answer comes as another message of the
 * session. A question that is no longer waited for is taken back.
 */
export async function askSession(
  { made, session, context, signal }: SessionCall,
  { method, params }: ClientRequest,
  timeoutMs: number,
): Promise<unknown> {
  const late = () => new AppError('unavailable', `The client did not answer within ${timeoutMs} ms`)
  const deadline = startDeadline(timeoutMs, signal, late)
  const related = { relatedRequestId: context.mcpReq.id }
  const asked: string[] = []
  const send = async (id: string) => {
    asked.push(id)
    await made.transport?.send({ jsonrpc: '2.0', id, method, ...(params && { params }) }, related)
  }
  try {
    return await session.questions.ask(send, deadline.signal)
  } finally {
    deadline.clear()
    if (deadline.signal.aborted) await takeBack(asked)
  }

  async function takeBack(ids: readonly string[]): Promise<void> {
    for (const requestId of ids)
      await context.mcpReq
        .notify({ method: 'notifications/cancelled', params: { requestId, reason: 'No longer needed' } })
        // who left needs no telling
        .catch(() => undefined)
  }
}
