import { useEffect, useRef, useState } from 'react'
import type { EventOf } from '../../../../api/call.ts'
import type { AnswerDetails } from './chat-message.ts'

/** What has come of an answer so far. */
export type Streamed<T> = T & { readonly details: AnswerDetails }

type AnyPart = EventOf<'tryAgent'> | EventOf<'streamObject'>

interface AnswerStreamOptions<T, Part, Body> {
  readonly empty: T
  readonly open: (body: Body, signal: AbortSignal) => AsyncIterable<Part>
  /** What a part changes, besides the details. */
  readonly read: (part: Part, current: T) => Partial<T>
  readonly onEnd?: () => void
}

export interface AnswerStream<T, Body> {
  readonly answer: Streamed<T> | undefined
  readonly isBusy: boolean
  readonly start: (body: Body) => void
  readonly stop: () => void
}

/** Streams one answer at a time, rendered once per frame. */
export function useAnswerStream<T extends object, Part extends AnyPart, Body>({
  empty,
  open,
  read,
  onEnd,
}: AnswerStreamOptions<T, Part, Body>): AnswerStream<T, Body> {
  const [answer, setAnswer] = useState<Streamed<T>>()
  const [isBusy, setBusy] = useState(false)
  const abort = useRef<AbortController>(undefined)
  useEffect(() => () => abort.current?.abort(), [])
  const stream = async (body: Body, signal: AbortSignal) => {
    const startedAt = performance.now()
    const elapsed = () => performance.now() - startedAt
    let current: Streamed<T> = { ...empty, details: { status: 'streaming' } }
    let frame: number | undefined
    const show = () => {
      frame = undefined
      setAnswer(current)
    }
    const put = (details: Partial<AnswerDetails>) => {
      current = { ...current, details: { ...current.details, ...details } }
    }
    const end = (details: AnswerDetails) => put({ ...details, tookMs: elapsed() })
    show()
    try {
      for await (const part of open(body, signal)) {
        current = { ...current, ...read(part, current) }
        readDetails(part)
        frame ??= requestAnimationFrame(show)
      }
      if (current.details.status === 'streaming')
        end({ status: 'error', error: new Error('The response ended early') })
    } catch (error) {
      end(signal.aborted ? { status: 'stopped' } : { status: 'error', error })
    } finally {
      if (frame !== undefined) cancelAnimationFrame(frame)
      setAnswer(current)
    }

    function readDetails(part: AnyPart): void {
      if (part.type === 'text-delta' || part.type === 'object-delta')
        put({ firstMs: current.details.firstMs ?? elapsed() })
      else if (part.type === 'finish') {
        const { id: runId, usage, model, traceId, finishReason, reason } = part
        const why = reason === undefined ? {} : { reason }
        end({ status: 'completed', runId, usage, model, traceId, finishReason, ...why })
      } else if (part.type === 'error') end({ status: 'error', error: new Error(part.error) })
      else if (part.type === 'abort') end({ status: 'stopped' })
    }
  }
  const start = (body: Body) => {
    if (abort.current) return
    const controller = new AbortController()
    abort.current = controller
    setBusy(true)
    void stream(body, controller.signal).finally(() => {
      abort.current = undefined
      setBusy(false)
      onEnd?.()
    })
  }
  return { answer, isBusy, start, stop: () => abort.current?.abort() }
}
