import type { Transport } from '@modelcontextprotocol/client'

/** The JSON-RPC error code of a response stream that ended before its result. */
export const RESPONSE_TRUNCATED = -32_098

/**
 * Fails requests whose response stream ended without a result and cannot be resumed. Without it they would only
 * fail with their timeout.
 */
export function failTruncatedResponses(transport: Transport): Transport {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    if (!('method' in message) || !('id' in message) || options?.onRequestStreamEnd !== undefined)
      return send(message, options)
    const error = { code: RESPONSE_TRUNCATED, message: 'The response stream ended before the result' }
    // ignored by the client when the result has arrived
    const onRequestStreamEnd = () => transport.onmessage?.({ jsonrpc: '2.0', id: message.id, error })
    return send(message, { ...options, onRequestStreamEnd })
  }
  return transport
}
