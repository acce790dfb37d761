import { expect } from 'vitest'
import type { ExecutionEvent } from '../../../src/contract/event.ts'

export interface SseMessage {
  /** 0 without one. */
  readonly id: number
  readonly event: ExecutionEvent
}

/** Parses the text of an event stream, which may contain only `id:`, `data:` and comments. */
export function sseMessages(text: string): SseMessage[] {
  expect(text === '' || text.endsWith('\n\n')).toBe(true)
  return text
    .split('\n\n')
    .filter((block) => block !== '' && !block.startsWith(':') && block !== 'data: [DONE]')
    .map((block) => {
      const [, id = '0', data = ''] = /^(?:id: (\d+)\n)?data: (\{.*\})$/.exec(block) ?? []
      expect(data, `not a message: ${block}`).not.toBe('')
      return { id: Number(id), event: JSON.parse(data) as ExecutionEvent }
    })
}

/** All messages of a stream, read to its end. */
export async function messagesOf(sent: Response | Promise<Response>): Promise<SseMessage[]> {
  const response = await sent
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  return sseMessages(await response.text())
}

/** Reads a stream in parts. */
export function readerOf(response: Response) {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  return {
    /** Reads until the text so far matches. */
    async until(pattern: RegExp): Promise<string> {
      while (!pattern.test(text)) {
        const { done, value } = await reader.read()
        if (done) throw new Error(`The stream ended without ${String(pattern)}: ${text}`)
        text += decoder.decode(value, { stream: true })
      }
      return text
    },
    cancel: () => reader.cancel(),
  }
}
