/** One message of a Server-Sent Events stream. */
export interface SentMessage {
  readonly id: string | undefined
  readonly event: string | undefined
  readonly data: string
}

/** Reads a stream of Server-Sent Events (WHATWG HTML, section 9.2). Leaving the loop ends the request. */
export async function* readMessages(body: ReadableStream<Uint8Array>): AsyncGenerator<SentMessage> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true })
      // a carriage return at the end may be half of a line break
      const held = !done && rest.endsWith('\r') ? '\r' : ''
      const blocks = rest.slice(0, rest.length - held.length).split(/\r\n\r\n|\n\n|\r\r/)
      rest = (blocks.pop() ?? '') + held
      for (const block of blocks) {
        const message = messageIn(block)
        if (message) yield message
      }
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function messageIn(block: string): SentMessage | undefined {
  let id: string | undefined
  let event: string | undefined
  const data: string[] = []
  for (const line of block.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') data.push(value)
    else if (field === 'id') id = value
    else if (field === 'event') event = value
  }
  return data.length === 0 ? undefined : { id, event, data: data.join('\n') }
}
