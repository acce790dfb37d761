import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/client/api-error.ts'
import { readEvents, readMessages } from '../../../src/client/read-events.ts'
import type { SseMessage } from '../../../src/client/read-events.ts'

/** A body whose chunks have `size` bytes; a large size sends the text as one chunk. */
function bodyOf(text: string, size = Infinity): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  return new ReadableStream({
    pull: (controller) => {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(at, at + size))
      at += size
    },
  })
}

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

async function messagesIn(text: string, size?: number): Promise<SseMessage[]> {
  return allOf(readMessages(bodyOf(text, size)))
}

const STREAM = [
  ': a comment',
  'id: 7',
  'event: progress',
  'data: {"text":',
  'data:"naïve ✓ 😀"}',
  '',
  'retry: 1000',
  'unknown: field',
  'data: second',
  '',
  ': keep-alive',
  '',
  'id: 8',
  '',
  'data: without an end',
].join('\n')

const MESSAGES = [
  { id: '7', event: 'progress', data: '{"text":\n"naïve ✓ 😀"}' },
  { id: undefined, event: undefined, data: 'second' },
]

describe('readMessages', () => {
  it('reads id, event and data of several lines; ignores comments, unknown fields and an unfinished message', async () => {
    expect(await messagesIn(STREAM)).toEqual(MESSAGES)
  })

  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('reads lines that end in %s, whatever the size of the chunks', async (_, lineEnd) => {
    const text = STREAM.replaceAll('\n', lineEnd)
    for (const size of [1, 2, 3, 5, 7, 64, Infinity]) expect(await messagesIn(text, size)).toEqual(MESSAGES)
  })

  it('ignores a byte order mark', async () => {
    for (const size of [1, 2, Infinity])
      expect(await messagesIn('\uFEFFdata: first\n\n', size)).toEqual([{ data: 'first' }])
  })

  it('removes one space after the colon and keeps the others', async () => {
    expect(await messagesIn('data:  two\ndata:none\ndata\n\n')).toEqual([{ data: ' two\nnone\n' }])
  })

  it('cancels the stream when the iteration stops early', async () => {
    let cancelled = false
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\ndata: 2\n\n')),
      cancel: () => {
        cancelled = true
      },
    })
    for await (const { data } of readMessages(body)) {
      expect(data).toBe('1')
      break
    }
    expect(cancelled).toBe(true)
  })

  it('throws the error of a broken connection', async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.error(new TypeError('terminated')),
    })
    await expect(readMessages(body).next()).rejects.toThrow('terminated')
  })
})

describe('readEvents', () => {
  const eventsIn = (text: string, size?: number) =>
    allOf(readEvents<{ text?: string }>(async () => new Response(bodyOf(text, size))))

  it('parses the data as JSON and adds the id as sequence', async () => {
    expect(await eventsIn('id: 3\ndata: {"text":"a"}\n\ndata: {"text":"b"}\n\n')).toEqual([
      { text: 'a', sequence: 3 },
      { text: 'b', sequence: 0 },
    ])
  })

  it('skips empty messages and the end mark of UI message streams', async () => {
    expect(await eventsIn('data:\n\ndata: {"text":"a"}\n\ndata: [DONE]\n\n')).toEqual([
      { text: 'a', sequence: 0 },
    ])
  })

  it('reads an event of 8 MB that comes in small chunks', async () => {
    const text = 'x'.repeat(8 * 1024 * 1024)
    const [event, ...rest] = await eventsIn(`id: 1\r\ndata: ${JSON.stringify({ text })}\r\n\r\n`, 16_384)
    expect(event?.text).toHaveLength(text.length)
    expect(rest).toEqual([])
  })

  it('sends the request with the first read', async () => {
    let sent = 0
    const events = readEvents(async () => {
      sent++
      return new Response(null)
    })
    expect(sent).toBe(0)
    expect(await events.next()).toEqual({ done: true, value: undefined })
    expect(sent).toBe(1)
  })
})

describe('ApiError', () => {
  it('has the message of the error envelope, and the ids of the headers', async () => {
    const headers = { 'x-request-id': 'r', 'x-execution-id': 'e', 'x-trace-id': 't' }
    const body = JSON.stringify({ success: false, error: 'No such agent' })
    const error = await ApiError.from(new Response(body, { status: 404, headers }))
    expect(error).toMatchObject({
      name: 'ApiError',
      message: 'No such agent',
      status: 404,
      requestId: 'r',
      executionId: 'e',
      traceId: 't',
    })
  })

  it('names the status when the response has no envelope', async () => {
    const response = new Response('<html>', { status: 502, statusText: 'Bad Gateway' })
    expect((await ApiError.from(response)).message).toBe('HTTP 502 Bad Gateway')
  })
})
