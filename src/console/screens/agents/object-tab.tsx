import { useId, useState } from 'react'
import { ApiError } from '../../../client/api-error.ts'
import type { AgentDetail } from '../../../contract/endpoints/agent.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { curlCode, credentialFor } from '../../code/request-code.ts'
import { readObject } from '../../json/parse-json.ts'
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
import { useAnswerStream } from './chat/session/use-answer-stream.ts'
import type { AnswerStream, Streamed } from './chat/session/use-answer-stream.ts'

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
  const runner = useObjectStream(agent.id)
  const { value: schema, problem } = readObject(text, 'The schema must be a JSON object')
  const canSend = agent.served && !runner.isBusy && schema !== undefined && prompt.trim() !== ''
  const send = () => {
    if (canSend) runner.start({ input: prompt.trim(), schema })
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
  const error = runner.answer?.details.error
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
        {runner.answer ? (
          <Outcome answer={runner.answer} {...(canSend && { retry: send })} />
        ) : (
          <p className="text-dim">The object appears here while it is generated.</p>
        )}
      </section>
    </div>
  )
}

interface OutcomeProps {
  readonly answer: Streamed<ObjectParts>
  readonly retry?: () => void
}

function Outcome({ answer: { object, details }, retry }: OutcomeProps) {
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

interface ObjectParts {
  /** Partial while it streams. */
  readonly object: unknown
}

const NOTHING: ObjectParts = { object: undefined }

interface ObjectRequest {
  readonly input: string
  readonly schema: JsonSchema
}

/** Streams a generated object. */
function useObjectStream(agentId: string): AnswerStream<ObjectParts, ObjectRequest> {
  const { api, queries } = useServices()
  return useAnswerStream({
    empty: NOTHING,
    open: (body: ObjectRequest, signal) =>
      api.events('streamObject', { params: { id: agentId }, body, signal }),
    read: (part) => ('object' in part ? { object: part.object } : {}),
    onEnd: () => void queries.invalidateQueries({ queryKey: ['listAgentHistory', agentId] }),
  })
}
