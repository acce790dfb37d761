import { describe, expect, it } from 'vitest'
import { turns } from '../../../support/turns.ts'
import { onBodyEnd, runForClient, streamResponse } from '../../../../src/http/request/request-lifetime.ts'
import type { Services } from '../../../../src/http/services.ts'

/** The services that the functions use, and whether the generation is held. */
function fakeServices() {
  const state = { holds: 0 }
  const openStreams = new Set<AbortController>()
  const hold = () => {
    state.holds++
    return () => void state.holds--
  }
  const services = { current: () => ({ hold }), openStreams } as unknown as Services
  const stop = () => openStreams.forEach((stream) => stream.abort())
  return { services, state, openStreams, stop }
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))

function bodyOf(...chunks: string[]): ReadableStream<Uint8Array> {
  return new Response(chunks.join('')).body as ReadableStream<Uint8Array>
}

describe('runForClient', () => {
  it('returns the result, and holds the generation until then', async () => {
    const { services, state, openStreams } = fakeServices()
    const result = runForClient(services, new AbortController().signal, async () => state.holds)
    expect(await result).toBe(1)
    expect([state.holds, openStreams.size]).toEqual([0, 0])
  })

  it('aborts the work when the client disconnects, and rejects with its error', async () => {
    const { services, state } = fakeServices()
    const client = new AbortController()
    const result = runForClient(services, client.signal, untilAborted)
    client.abort()
    await expect(result).rejects.toThrow('aborted')
    expect(state.holds).toBe(0)
  })

  it('rejects with unavailable when the server stops', async () => {
    const { services, stop } = fakeServices()
    const result = runForClient(services, new AbortController().signal, untilAborted)
    stop()
    await expect(result).rejects.toMatchObject({ code: 'unavailable' })
  })
})

describe('streamResponse', () => {
  it('holds the generation until the body was read', async () => {
    const { services, state, openStreams } = fakeServices()
    const response = await streamResponse(services, async () => new Response(bodyOf('a', 'b')))
    expect([state.holds, openStreams.size]).toEqual([1, 1])
    expect(await response.text()).toBe('ab')
    expect([state.holds, openStreams.size]).toEqual([0, 0])
  })

  it('releases the generation with a response without a body, and with an error', async () => {
    const { services, state } = fakeServices()
    await streamResponse(services, async () => new Response(null, { status: 202 }))
    await expect(streamResponse(services, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(state.holds).toBe(0)
  })

  it('aborts the signal when the client cancels the body', async () => {
    const { services } = fakeServices()
    let signal: AbortSignal | undefined
    const response = await streamResponse(services, async (stopping) => {
      signal = stopping
      return new Response(new ReadableStream({ pull: () => new Promise(() => undefined) }))
    })
    await response.body?.cancel()
    expect(signal?.aborted).toBe(true)
  })
})

describe('onBodyEnd', () => {
  it('reports the end once', async () => {
    const ends: boolean[] = []
    expect(await new Response(onBodyEnd(bodyOf('a'), (cancelled) => ends.push(cancelled))).text()).toBe('a')
    expect(ends).toEqual([false])
  })

  it('reports an error of the source', async () => {
    const ends: boolean[] = []
    const broken = new ReadableStream<Uint8Array>({
      pull: () => {
        throw new Error('broken')
      },
    })
    await expect(new Response(onBodyEnd(broken, (cancelled) => ends.push(cancelled))).text()).rejects.toThrow(
      'broken',
    )
    expect(ends).toEqual([false])
  })

  it('ends the body and cancels the source when asked to, also during a read', async () => {
    const ends: boolean[] = []
    let cancelled = 0
    const source = new ReadableStream<Uint8Array>({
      pull: () => new Promise(() => undefined),
      cancel: () => void cancelled++,
    })
    let end: () => void = () => undefined
    const body = onBodyEnd(
      source,
      (wasCancelled) => ends.push(wasCancelled),
      (given) => (end = given),
    )
    const text = new Response(body).text()
    await turns()
    end()
    end()
    expect(await text).toBe('')
    expect([ends, cancelled]).toEqual([[true], 1])
  })

  it('does not start before the first read', async () => {
    let started = 0
    await onBodyEnd(
      bodyOf('a'),
      () => undefined,
      () => started++,
    ).cancel()
    expect(started).toBe(0)
  })

  it('reports a cancelled reader, and cancels the source', async () => {
    const ends: boolean[] = []
    let reason: unknown
    const source = new ReadableStream<Uint8Array>({ cancel: (given) => void (reason = given) })
    await onBodyEnd(source, (cancelled) => ends.push(cancelled)).cancel('enough')
    expect([ends, reason]).toEqual([[true], 'enough'])
  })
})
