import { useEffect, useRef, useState } from 'react'
import { readMessages } from '../../../client/read-events.ts'
import type { SseMessage } from '../../../client/read-events.ts'
import { useServices } from '../../services/services-context.tsx'
import type { ReadyRequest } from './request-draft.ts'

/** An event of a stream, with its time since the request. */
export interface ReceivedEvent extends SseMessage {
  readonly number: number
  readonly afterMs: number
}

/** A request and its response so far. */
export interface Exchange {
  readonly state: 'waiting' | 'streaming' | 'done' | 'stopped' | 'failed'
  readonly request: ReadyRequest
  readonly status?: number
  readonly statusText?: string
  readonly headers?: readonly (readonly [string, string])[]
  readonly text?: string
  /** Size of a binary body. */
  readonly bytes?: number
  /** The newest events of a stream. */
  readonly events?: readonly ReceivedEvent[]
  readonly eventCount?: number
  readonly firstMs?: number
  readonly tookMs?: number
  readonly error?: unknown
}

export interface Exchanger {
  readonly exchange: Exchange | undefined
  readonly isBusy: boolean
  readonly send: (request: ReadyRequest, kind: 'key' | 'token') => void
  readonly stop: () => void
}

const MAX_EVENTS = 1000
const TEXTUAL = /json|text|xml|javascript|urlencoded/

/** Sends requests, one at a time. Streamed events are rendered once per frame. */
export function useExchange(): Exchanger {
  const { api } = useServices()
  const [exchange, setExchange] = useState<Exchange>()
  const abort = useRef<AbortController>(undefined)
  useEffect(() => () => abort.current?.abort(), [])
  const run = async (request: ReadyRequest, kind: 'key' | 'token', signal: AbortSignal) => {
    const { method, url, headers, body } = request
    const startedAt = performance.now()
    const elapsed = () => performance.now() - startedAt
    let current: Exchange = { state: 'waiting', request }
    const set = (change: Partial<Exchange>) => {
      current = { ...current, ...change }
      setExchange(current)
    }
    set({})
    try {
      const hasType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')
      const type = body !== undefined && !hasType ? { 'Content-Type': 'application/json' } : {}
      const init = { method, headers: { ...type, ...headers }, signal, ...(body !== undefined && { body }) }
      const response = await api.exchange(url, init, kind)
      const { status, statusText } = response
      const isStream = isEvents(response)
      set({ status, statusText, headers: [...response.headers], firstMs: elapsed() })
      if (isStream && response.body) {
        set({ state: 'streaming', events: [], eventCount: 0 })
        await readInto(response.body, set, elapsed)
      } else set(await bodyOf(response))
      set({ state: 'done', tookMs: elapsed() })
    } catch (error) {
      set({ tookMs: elapsed(), ...(signal.aborted ? { state: 'stopped' } : { state: 'failed', error }) })
    }
  }
  const send = (request: ReadyRequest, kind: 'key' | 'token') => {
    if (abort.current) return
    const controller = new AbortController()
    abort.current = controller
    void run(request, kind, controller.signal).finally(() => {
      abort.current = undefined
    })
  }
  const isBusy = exchange?.state === 'waiting' || exchange?.state === 'streaming'
  return { exchange, isBusy, send, stop: () => abort.current?.abort() }
}

function isEvents({ headers }: Response): boolean {
  return headers.get('content-type')?.includes('text/event-stream') === true
}

async function readInto(
  body: ReadableStream<Uint8Array>,
  set: (change: Partial<Exchange>) => void,
  elapsed: () => number,
): Promise<void> {
  let events: ReceivedEvent[] = []
  let eventCount = 0
  let frame: number | undefined
  const show = () => {
    frame = undefined
    set({ events, eventCount })
  }
  try {
    for await (const message of readMessages(body)) {
      eventCount++
      events = [...events.slice(1 - MAX_EVENTS), { ...message, number: eventCount, afterMs: elapsed() }]
      frame ??= requestAnimationFrame(show)
    }
  } finally {
    if (frame !== undefined) cancelAnimationFrame(frame)
    show()
  }
}

async function bodyOf(response: Response): Promise<Pick<Exchange, 'text' | 'bytes'>> {
  const type = response.headers.get('content-type') ?? 'text/plain'
  if (TEXTUAL.test(type)) return { text: await response.text() }
  return { bytes: (await response.arrayBuffer()).byteLength }
}
