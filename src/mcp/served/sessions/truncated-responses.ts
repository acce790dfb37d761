import type { Transport } from '@modelcontextprotocol/client'

/** The code of the error that stands for an answer which ended before its result. */
export const ANSWER_CUT = -32_098

/**
 * A request whose answer, an event stream, ends without a result would be waited for until its time is up. It is
 * answered with an error instead, as soon as it is clear that the server can't be asked for the rest.
 */
export function tellCutAnswers(transport: Transport): Transport {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    if (!('method' in message) || !('id' in message) || options?.onRequestStreamEnd !== undefined)
      return send(message, options)
    const error = { code: ANSWER_CUT, message: 'The answer ended before its result' }
    // where there was a result nobody waits for this any more
    const onRequestStreamEnd = () => transport.onmessage?.({ jsonrpc: '2.0', id: message.id, error })
    return send(message, { ...options, onRequestStreamEnd })
  }
  return transport
}
