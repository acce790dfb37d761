import { useEffect, useRef, useState } from 'react'
import type { TrialBody } from '../../../contract/endpoints/agents/lab.ts'
import { useServices } from '../../services/services-context.tsx'
import type { AnswerDetails, ToolPart } from '../agents/chat/session/chat-message.ts'

export interface Trial {
  readonly text: string
  readonly calls: readonly ToolPart[]
  readonly details: AnswerDetails
}

export interface TrialRunner {
  readonly trial: Trial | undefined
  readonly isBusy: boolean
  readonly start: (body: TrialBody) => void
  readonly stop: () => void
}

/** Streams the answer of one column, rendered once per frame. */
export function useTrial(agentId: string): TrialRunner {
  const { api } = useServices()
  const [trial, setTrial] = useState<Trial>()
  const [isBusy, setBusy] = useState(false)
  const abort = useRef<AbortController>(undefined)
  useEffect(() => () => abort.current?.abort(), [])
  const stream = async (body: TrialBody, signal: AbortSignal) => {
    const startedAt = performance.now()
    const elapsed = () => performance.now() - startedAt
    let current: Trial = { text: '', calls: [], details: { status: 'streaming' } }
    let frame: number | undefined
    const show = () => {
      frame = undefined
      setTrial(current)
    }
    const set = (change: Partial<Trial>, details: Partial<AnswerDetails> = {}) => {
      current = { ...current, ...change, details: { ...current.details, ...details } }
    }
    const end = (details: AnswerDetails) => set({}, { ...details, tookMs: elapsed() })
    const settle = (id: string, result: Partial<ToolPart>) =>
      set({ calls: current.calls.map((call) => (call.toolCallId === id ? { ...call, ...result } : call)) })
    show()
    try {
      for await (const part of api.events('tryAgent', { params: { id: agentId }, body, signal })) {
        if (part.type === 'text-delta')
          set({ text: current.text + part.text }, { firstMs: current.details.firstMs ?? elapsed() })
        else if (part.type === 'tool-call') set({ calls: [...current.calls, startedCall(part)] })
        else if (part.type === 'tool-result')
          settle(part.toolCallId, { state: 'output-available', output: part.output })
        else if (part.type === 'tool-error')
          settle(part.toolCallId, { state: 'output-error', errorText: part.error })
        else if (part.type === 'finish') {
          const { id: runId, usage, model, traceId, finishReason, reason } = part
          const why = reason === undefined ? {} : { reason }
          end({ status: 'completed', runId, usage, model, traceId, finishReason, ...why })
        } else if (part.type === 'error') end({ status: 'error', error: new Error(part.error) })
        else if (part.type === 'abort') end({ status: 'stopped' })
        frame ??= requestAnimationFrame(show)
      }
      if (current.details.status === 'streaming')
        end({ status: 'error', error: new Error('The response ended early') })
    } catch (error) {
      end(signal.aborted ? { status: 'stopped' } : { status: 'error', error })
    } finally {
      if (frame !== undefined) cancelAnimationFrame(frame)
      setTrial(current)
    }
  }
  const start = (body: TrialBody) => {
    if (abort.current) return
    const controller = new AbortController()
    abort.current = controller
    setBusy(true)
    void stream(body, controller.signal).finally(() => {
      abort.current = undefined
      setBusy(false)
    })
  }
  return { trial, isBusy, start, stop: () => abort.current?.abort() }
}

function startedCall({
  toolCallId,
  toolName,
  input,
}: Pick<ToolPart, 'toolCallId' | 'toolName' | 'input'>): ToolPart {
  return { type: 'tool', toolCallId, toolName, state: 'input-available', input }
}
