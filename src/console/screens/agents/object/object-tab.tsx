import { useId, useState } from 'react'
import type { AgentDetail } from '../../../../contract/endpoints/agent.ts'
import { ApiError } from '../../../../client/api-error.ts'
import { errorMessage } from '../../../api/request-failure.ts'
import { useServices } from '../../../services/services-context.tsx'
import { curlCode } from '../../../code/curl-code.ts'
import { credentialFor } from '../../../code/request-code.ts'
import { isObject } from '../../../form/json-schema.ts'
import { JsonEditor } from '../../../json/json-editor.tsx'
import { JsonView } from '../../../json/json-view.tsx'
import { useCopyKeys } from '../../../keys/use-copy-keys.ts'
import { useKeys } from '../../../keys/use-keys.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { StatusBadge } from '../../../ui/state/status-badge.tsx'
import { FIELD } from '../../../ui/controls/text-field.tsx'
import { AnswerFactsLine } from '../chat/message/answer-facts-line.tsx'
import { AnswerFailure } from '../chat/message/answer-failure.tsx'
import { useObjectRun } from './use-object-run.ts'
import type { ObjectRun } from './use-object-run.ts'

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
  const error = runner.run?.facts.error
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
  const { object, facts } = run
  return (
    <div aria-busy={facts.status === 'streaming'} className="flex min-w-0 flex-col gap-2">
      {facts.status === 'streaming' && <StatusBadge status="running" text="generating" />}
      {facts.status === 'stopped' && <StatusBadge status="cancelled" />}
      {object !== undefined && <JsonView value={object} label="Object" open={4} />}
      {facts.status === 'error' && <AnswerFailure error={facts.error} {...(retry && { retry })} />}
      {facts.status !== 'streaming' && (
        <div className="text-sm text-dim">
          <AnswerFactsLine facts={facts} traceId={facts.traceId} />
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
