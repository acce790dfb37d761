import { afterEach, expect, it, vi } from 'vitest'
import { eventStreamBody } from '../../../../src/http/reply/event-stream.ts'
import type { OutgoingEvent } from '../../../../src/http/reply/reply.ts'

afterEach(() => vi.useRealTimers())

function streamOf(events: AsyncGenerator<OutgoingEvent>) {
  const abort = new AbortController()
  const closed = vi.fn<() => void>()
  return { abort, closed, body: eventStreamBody({ events, abort }, closed) }
}

it('encodes events with their sequence numbers, and ends with them', async () => {
  const { body, closed, abort } = streamOf(
    (async function* () {
      yield { seq: 1, data: '{"a":1}' }
      yield { data: '[DONE]' }
    })(),
  )
  expect(await new Response(body).text()).toBe('id: 1\ndata: {"a":1}\n\ndata: [DONE]\n\n')
  expect(closed).toHaveBeenCalledTimes(1)
  expect(abort.signal.aborted).toBe(false)
})

it('pulls no event before the client reads', async () => {
  const produced: number[] = []
  const { body } = streamOf(
    (async function* () {
      for (let seq = 1; seq <= 3; seq++) {
        produced.push(seq)
        yield { seq, data: '' }
      }
    })(),
  )
  expect(produced).toEqual([])
  const reader = body.getReader()
  await reader.read()
  expect(produced).toEqual([1])
  await reader.cancel()
})

it('sends a comment after 15 seconds without an event, and then the event', async () => {
  vi.useFakeTimers()
  let emit: (event: OutgoingEvent) => void = () => undefined
  const next = new Promise<OutgoingEvent>((resolve) => (emit = resolve))
  const { body } = streamOf(
    (async function* () {
      yield await next
    })(),
  )
  const reader = body.getReader()
  const textOf = async () => new TextDecoder().decode((await reader.read()).value)
  const first = textOf()
  await vi.advanceTimersByTimeAsync(15_000)
  expect(await first).toBe(': keep-alive\n\n')
  emit({ data: 'x' })
  expect(await textOf()).toBe('data: x\n\n')
})

it('aborts the source and runs its clean-up when the client disconnects', async () => {
  const cleaned = vi.fn<() => void>()
  const { body, abort, closed } = streamOf(
    (async function* () {
      try {
        for (let seq = 1; ; seq++) yield { seq, data: '' }
      } finally {
        cleaned()
      }
    })(),
  )
  const reader = body.getReader()
  await reader.read()
  await reader.cancel()
  expect(abort.signal.aborted).toBe(true)
  expect(closed).toHaveBeenCalledTimes(1)
  await expect.poll(() => cleaned.mock.calls.length).toBe(1)
})

it('fails with the error of the source', async () => {
  const { body, closed } = streamOf(
    // oxlint-disable-next-line require-yield
    (async function* (): AsyncGenerator<OutgoingEvent> {
      throw new Error('no disk')
    })(),
  )
  await expect(new Response(body).text()).rejects.toThrow('no disk')
  expect(closed).toHaveBeenCalledTimes(1)
})
