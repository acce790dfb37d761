import { useEffect, useRef, useState } from 'react'
import { useServices } from '../../../services/services-context.tsx'
import type { JsonSchema } from '../../../form/json-schema.ts'
import type { AnswerFacts } from '../chat/session/chat-message.ts'

/** A generated object, possibly partial. */
export interface ObjectRun {
  /** Partial while it streams. */
  readonly object: unknown
  readonly facts: AnswerFacts
}

export interface ObjectRunner {
  readonly run: ObjectRun | undefined
  readonly isBusy: boolean
  readonly start: (input: string, schema: JsonSchema) => void
  readonly stop: () => void
}

/** Streams a generated object, rendered once per frame. */
export function useObjectRun(agentId: string): ObjectRunner {
  const { api, queries } = useServices()
  const [run, setRun] = useState<ObjectRun>()
  const [isBusy, setBusy] = useState(false)
  const abort = useRef<AbortController>(undefined)
  useEffect(() => () => abort.current?.abort(), [])
  const stream = async (input: string, schema: JsonSchema, signal: AbortSignal) => {
    const startedAt = performance.now()
    const elapsed = () => performance.now() - startedAt
    let current: ObjectRun = { object: undefined, facts: { status: 'streaming' } }
    let frame: number | undefined
    const show = () => {
      frame = undefined
      setRun(current)
    }
    const end = (facts: AnswerFacts) => {
      current = { ...current, facts: { ...current.facts, ...facts, tookMs: elapsed() } }
    }
    show()
    try {
      const call = { params: { id: agentId }, body: { input, schema }, signal }
      for await (const part of api.events('streamObject', call)) {
        const firstMs = current.facts.firstMs ?? elapsed()
        if (part.type === 'object-delta')
          current = { object: part.object, facts: { ...current.facts, firstMs } }
        else if (part.type === 'finish') {
          const { id: runId, object, usage, model, traceId, finishReason, reason } = part
          current = { ...current, object }
          const why = reason === undefined ? {} : { reason }
          end({ status: 'completed', runId, usage, model, traceId, finishReason, ...why })
        } else if (part.type === 'error') end({ status: 'error', error: new Error(part.error) })
        else end({ status: 'stopped' })
        frame ??= requestAnimationFrame(show)
      }
      if (current.facts.status === 'streaming')
        end({ status: 'error', error: new Error('The response ended early') })
    } catch (error) {
      end(signal.aborted ? { status: 'stopped' } : { status: 'error', error })
    } finally {
      if (frame !== undefined) cancelAnimationFrame(frame)
      setRun(current)
    }
  }
  const start = (input: string, schema: JsonSchema) => {
    if (abort.current) return
    const controller = new AbortController()
    abort.current = controller
    setBusy(true)
    void stream(input, schema, controller.signal).finally(() => {
      abort.current = undefined
      setBusy(false)
      void queries.invalidateQueries({ queryKey: ['listAgentHistory', agentId] })
    })
  }
  return { run, isBusy, start, stop: () => abort.current?.abort() }
}
