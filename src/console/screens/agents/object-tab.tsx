import { useId, useState, useEffect, useRef } from 'react'
import { ApiError } from '../../../client/api-error.ts'
import type { AgentDetail } from '../../../contract/endpoints/agent.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { curlCode, credentialFor } from '../../code/request-code.ts'

import { isObject } from '../../form/json-schema.ts'
import type { JsonSchema } from '../../form/json-schema.ts'
import { JsonEditor } from '../../json/json-editor.tsx'
import { JsonView } from '../../json/json-view.tsx'
import { useCopyKeys, useKeys } from '../../keys/use-keys.ts'

import { useServices } from '../../services/services-context.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { FIELD } from '../../ui/controls/text-field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { AnswerDetailsLine } from './chat/answer-details-line.tsx'
import { AnswerFailure } from './chat/answer-failure.tsx'
import type { AnswerDetails } from './chat/session/chat-message.ts'

const EXAMPLE = `{
  "type": "object",
  "properties": {
    "summary": { "type": "string" },
    "topics": { "type": "array", "items": { "type": "string" } }
  },
  "required": ["summary", "topics"],
  "additionalProperties": false
}`

/** Generates an object with a schema. */
export function ObjectTab({ agent }: { readonly agent: AgentDetail }) {
  const { api, credentials } = useServices()
  const id = useId()
  const [prompt, setPrompt] = useState('')
  const [text, setText] = useState(EXAMPLE)
  const runner = useObjectRun(agent.id)
  const { schema, problem } = read(text)
  const canSend = agent.served && !runner.isBusy && schema !== undefined && prompt.trim() !== ''
  const send = () => {
    if (canSend) runner.start(prompt.trim(), schema)
  }
  useKeys([
    { keys: 'mod+Enter', label: 'Send', group: 'Object', run: send },
    { keys: 'Escape', label: 'Stop', group: 'Object', whileTyping: true, run: runner.stop },
  ])
  useCopyKeys('Object', () => {
    const url = api.urlOf('streamObject', { params: { id: agent.id } })
    const body = JSON.stringify({ input: prompt, schema })
    return curlCode({ method: 'POST', url, body, credential: credentialFor(credentials, 'token') })
  })
  // errors in the schema are shown at its editor
  const error = runner.run?.details.error
  const validationMessage =
    error instanceof ApiError && error.message.startsWith('schema') ? errorMessage(error) : undefined
  return (
    <div className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
      <div className="flex min-h-0 flex-col gap-3 overflow-auto border-r border-line p-4">
        {!agent.served && (
          <p className="text-dim">Only workflow steps and other agents can call this agent.</p>
        )}
        <div>
          <label htmlFor={id} className="block pb-0.5 text-sm text-dim">
            Prompt
          </label>
          <textarea
            id={id}
            value={prompt}
            rows={4}
            onChange={({ target }) => setPrompt(target.value)}
            className={FIELD}
          />
        </div>
        <div>
          <div className="pb-0.5 text-sm text-dim">JSON Schema of the object</div>
          <JsonEditor
            label="JSON Schema of the object"
            value={text}
            onChange={setText}
            onSubmit={send}
            error={problem ?? validationMessage}
          />
        </div>
        <div className="flex gap-2">
          <Button kind="primary" onClick={send} disabled={!canSend} keys="Ctrl+Enter">
            <Icon name="play" /> Send
          </Button>
          {runner.isBusy && (
            <Button onClick={runner.stop} keys="Esc">
              <Icon name="stop" /> Stop
            </Button>
          )}
        </div>
      </div>
      <section aria-label="Object" className="flex min-h-0 flex-col gap-2 overflow-auto p-4" tabIndex={0}>
        <h2 className="font-semibold">Object</h2>
        {runner.run ? (
          <Outcome run={runner.run} {...(canSend && { retry: send })} />
        ) : (
          <p className="text-dim">The object appears here while it is generated.</p>
        )}
      </section>
    </div>
  )
}

function Outcome({ run, retry }: { readonly run: ObjectRun; readonly retry?: () => void }) {
  const { object, details } = run
  return (
    <div aria-busy={details.status === 'streaming'} className="flex min-w-0 flex-col gap-2">
      {details.status === 'streaming' && <StatusBadge status="running" text="generating" />}
      {details.status === 'stopped' && <StatusBadge status="cancelled" />}
      {object !== undefined && <JsonView value={object} label="Object" open={4} />}
      {details.status === 'error' && <AnswerFailure error={details.error} {...(retry && { retry })} />}
      {details.status !== 'streaming' && (
        <div className="text-sm text-dim">
          <AnswerDetailsLine details={details} traceId={details.traceId} />
        </div>
      )}
    </div>
  )
}

function read(text: string): { schema?: Record<string, unknown>; problem?: string } {
  try {
    const schema: unknown = JSON.parse(text)
    return isObject(schema) ? { schema } : { problem: 'The schema must be a JSON object' }
  } catch (error) {
    return { problem: `Invalid JSON: ${errorMessage(error)}` }
  }
}

/** A generated object, possibly partial. */
interface ObjectRun {
  /** Partial while it streams. */
  readonly object: unknown
  readonly details: AnswerDetails
}

interface ObjectRunner {
  readonly run: ObjectRun | undefined
  readonly isBusy: boolean
  readonly start: (input: string, schema: JsonSchema) => void
  readonly stop: () => void
}

/** Streams a generated object, rendered once per frame. */
function useObjectRun(agentId: string): ObjectRunner {
  const { api, queries } = useServices()
  const [run, setRun] = useState<ObjectRun>()
  const [isBusy, setBusy] = useState(false)
  const abort = useRef<AbortController>(undefined)
  useEffect(() => () => abort.current?.abort(), [])
  const stream = async (input: string, schema: JsonSchema, signal: AbortSignal) => {
    const startedAt = performance.now()
    const elapsed = () => performance.now() - startedAt
    let current: ObjectRun = { object: undefined, details: { status: 'streaming' } }
    let frame: number | undefined
    const show = () => {
      frame = undefined
      setRun(current)
    }
    const end = (details: AnswerDetails) => {
      current = { ...current, details: { ...current.details, ...details, tookMs: elapsed() } }
    }
    show()
    try {
      const call = { params: { id: agentId }, body: { input, schema }, signal }
      for await (const part of api.events('streamObject', call)) {
        const firstMs = current.details.firstMs ?? elapsed()
        if (part.type === 'object-delta')
          current = { object: part.object, details: { ...current.details, firstMs } }
        else if (part.type === 'finish') {
          const { id: runId, object, usage, model, traceId, finishReason, reason } = part
          current = { ...current, object }
          const why = reason === undefined ? {} : { reason }
          end({ status: 'completed', runId, usage, model, traceId, finishReason, ...why })
        } else if (part.type === 'error') end({ status: 'error', error: new Error(part.error) })
        else end({ status: 'stopped' })
        frame ??= requestAnimationFrame(show)
      }
      if (current.details.status === 'streaming')
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
