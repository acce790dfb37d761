/**
 * Reads Server-Sent Events (WHATWG HTML, section 9.2) whose data is a JSON object; each gets its `id` as
 * `sequence`. The request is sent with the first read; leaving the loop ends it.
 */
export async function* readEvents<T extends object>(
  send: () => Promise<Response>,
): AsyncGenerator<T & { readonly sequence: number }> {
  const { body } = await send()
  if (!body) return
  let buffer = ''
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (buffer + text).split('\n\n')
    buffer = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = parseBlock<T>(block)
      if (event) yield event
    }
  }
}

/** Ends the AI SDK's UI message streams. */
const DONE = '[DONE]'

function parseBlock<T extends object>(block: string): (T & { readonly sequence: number }) | undefined {
  const lines = block.split('\n')
  const field = (name: string) =>
    lines
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).replace(/^ /, ''))
  const data = field('data').join('\n')
  if (data === '' || data === DONE) return undefined
  return { ...(JSON.parse(data) as T), sequence: Number(field('id')[0] ?? 0) }
}
