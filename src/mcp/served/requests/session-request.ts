import type { ServerContext } from '@modelcontextprotocol/server'
import { startDeadline } from '../../../lib/async/deadline.ts'
import { AppError } from '../../../lib/errors.ts'
import type { HandlerDeps } from '../exchange.ts'
import type { ClientSession } from '../sessions/client-sessions.ts'
import type { ClientRequest } from './client-requests.ts'

export interface SessionRequestOptions extends Pick<HandlerDeps, 'protocolServer'> {
  readonly session: ClientSession
  readonly context: ServerContext
  /** Ends the tool call that sends the request. */
  readonly signal: AbortSignal
}

/**
 * Sends a request to a client on revision 2025-xx over the response stream of its own call; the response arrives as
 * another message of the session. A request that times out or is aborted is cancelled at the client.
 */
export async function sendSessionRequest(
  { protocolServer, session, context, signal }: SessionRequestOptions,
  { method, params }: ClientRequest,
  timeoutMs: number,
): Promise<unknown> {
  const timeout = () => new AppError('unavailable', `The client did not respond within ${timeoutMs} ms`)
  const deadline = startDeadline(timeoutMs, signal, timeout)
  const related = { relatedRequestId: context.mcpReq.id }
  const sent: string[] = []
  const send = async (id: string) => {
    sent.push(id)
    await protocolServer.transport?.send({ jsonrpc: '2.0', id, method, ...(params && { params }) }, related)
  }
  try {
    return await session.pendingRequests.send(send, deadline.signal)
  } finally {
    deadline.clear()
    if (deadline.signal.aborted) await cancel(sent)
  }

  async function cancel(ids: readonly string[]): Promise<void> {
    for (const requestId of ids)
      await context.mcpReq
        .notify({ method: 'notifications/cancelled', params: { requestId, reason: 'No longer needed' } })
        // the client may have disconnected
        .catch(() => undefined)
  }
}
