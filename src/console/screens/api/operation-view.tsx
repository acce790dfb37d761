import { useRef, useState } from 'react'
import { CodeTabs } from '../../code/code-tabs.tsx'
import { fieldErrors } from '../../form/field-errors.ts'
import { SchemaField } from '../../form/schema-field.tsx'
import { initialValue } from '../../form/initial-value.ts'
import { SchemaForm } from '../../form/schema-form.tsx'
import { useForm } from '../../form/use-form.ts'
import { JsonView } from '../../json/json-view.tsx'
import { useCopyKeys, useKeys } from '../../keys/use-keys.ts'
import { useServices } from '../../services/services-context.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { Operation, ParameterLocation } from './api-description.ts'
import { credentialKindOf, requestCodes, requestOf } from './request-draft.ts'
import { ResponseView } from './response-view.tsx'
import { useExchange } from './use-exchange.ts'
import type { Exchange } from './use-exchange.ts'

const LOCATIONS = { path: 'Path', query: 'Query', header: 'Headers' } as const

/** One operation, with a form to call it. */
export function OperationView({ operation }: { readonly operation: Operation }) {
  const services = useServices()
  const { method, path, summary, parameters, body: bodySchema, key, takesBody, responses } = operation
  const [values, setValues] = useState(() => initialValues(parameters))
  const [headers, setHeaders] = useState('')
  const [queryText, setQueryText] = useState('')
  const [bodyText, setBodyText] = useState('')
  const form = useForm(bodySchema ?? {})
  const { exchange, isBusy, send, stop } = useExchange()
  const { value, problem } = bodySchema ? form.read() : { value: undefined }
  const ownBody = bodyText === '' ? undefined : bodyText
  const body = bodySchema ? JSON.stringify(value) : takesBody ? ownBody : undefined
  const draft = { values, headers, queryText, body }
  const request = requestOf(operation, draft, services)
  const codes = requestCodes(operation, { draft, request, services })
  const validationMessage = validationMessageIn(exchange)
  const errors = fieldErrors(validationMessage, '')
  const response = useRef<HTMLElement>(null)
  const submit = () => {
    if (problem !== undefined || isBusy) return
    send(request, credentialKindOf(operation))
    // in narrow windows the response is below the request
    response.current?.scrollIntoView({ block: 'nearest' })
  }
  useKeys([
    { keys: 'mod+Enter', label: 'Send', group: 'API', run: submit },
    { keys: 'Escape', label: 'Stop', group: 'API', whileTyping: true, run: stop },
  ])
  useCopyKeys('API', () => codes['curl'] ?? '')
  const fields = (['path', 'query', 'header'] as const).flatMap((location) => {
    const schema = parameters[location]
    if (!schema) return []
    return [
      <section key={location} aria-label={LOCATIONS[location]}>
        <h3 className="pb-1 font-semibold">{LOCATIONS[location]}</h3>
        <SchemaField
          schema={schema}
          root={schema}
          value={values[location]}
          onChange={(changed) => setValues({ ...values, [location]: changed })}
          path=""
          errors={errors}
          required
        />
      </section>,
    ]
  })
  return (
    <div className="grid min-h-0 min-w-0 flex-1 grid-cols-[minmax(0,1fr)_minmax(0,1fr)] max-xl:block max-xl:overflow-auto">
      <div className="flex min-h-0 flex-col gap-4 overflow-auto border-line p-4 max-xl:border-b xl:border-r">
        <header>
          <h2 className="break-all font-mono text-base font-semibold">
            <span className="pr-1 text-dim">{method}</span> {path}
          </h2>
          <p className="break-words pt-1">{summary}</p>
          <AccessNote access={operation.access} credentials={operation.credentials} name={key} />
        </header>
        {fields}
        {key === undefined && (
          <TextField
            rows={1}
            label="Query string"
            value={queryText}
            onChange={setQueryText}
            hint="Such as a=1&b=2"
          />
        )}
        {bodySchema && (
          <section aria-label="Body">
            <h3 className="pb-1 font-semibold">Body</h3>
            <SchemaForm
              form={form}
              label="Body"
              root=""
              validationMessage={validationMessage}
              onSubmit={submit}
            />
          </section>
        )}
        {!bodySchema && takesBody && (
          <TextField
            label="Body"
            value={bodyText}
            onChange={setBodyText}
            hint="Sent as JSON unless a Content-Type header is set below"
            rows={5}
          />
        )}
        <details>
          <summary className="text-sm text-dim">More headers</summary>
          <TextField
            label="Headers"
            value={headers}
            onChange={setHeaders}
            hint="One per line, as Name: value"
            rows={3}
          />
        </details>
        <div className="flex gap-2">
          <Button
            kind="primary"
            onClick={submit}
            disabled={isBusy || problem !== undefined}
            keys="Ctrl+Enter"
          >
            <Icon name="play" /> Send
          </Button>
          {isBusy && (
            <Button onClick={stop} keys="Esc">
              <Icon name="stop" /> Stop
            </Button>
          )}
        </div>
        <CodeTabs label="Code for" codes={codes} />
        <details>
          <summary className="text-sm text-dim">Responses</summary>
          <div className="pt-1">
            <JsonView value={responses} label="Responses" open={2} />
          </div>
        </details>
      </div>
      <section
        ref={response}
        aria-label="Response"
        className="flex min-h-0 flex-col gap-2 overflow-auto p-4 outline-offset-[-2px]"
        tabIndex={0}
      >
        <h2 className="font-semibold">Response</h2>
        {exchange ? <ResponseView exchange={exchange} /> : <p className="text-dim">No request sent yet</p>}
      </section>
    </div>
  )
}

function initialValues(parameters: Operation['parameters']): Readonly<Record<ParameterLocation, unknown>> {
  const of = (location: ParameterLocation) => {
    const schema = parameters[location]
    return schema ? initialValue(schema, schema) : {}
  }
  return { path: of('path'), query: of('query'), header: of('header') }
}

/** The validation message of a 400 response. */
function validationMessageIn(exchange: Exchange | undefined): string | undefined {
  if (exchange?.status !== 400 || exchange.text === undefined) return undefined
  try {
    const { error } = JSON.parse(exchange.text) as { error?: unknown }
    return typeof error === 'string' ? error : undefined
  } catch {
    // custom routes may return any body
    return undefined
  }
}

interface AccessNoteProps {
  readonly access: string
  readonly credentials: readonly string[]
  /** Name of the operation. */
  readonly name?: string | undefined
}

/** The access class of an operation, and the credentials that it requires. */
export function AccessNote({ access, credentials, name }: AccessNoteProps) {
  return (
    <p className="flex flex-wrap gap-x-3 pt-1 text-sm text-dim">
      {name !== undefined && <span className="font-mono">{name}</span>}
      <span>{`access class: ${access}`}</span>
      <span>
        {credentials.length === 0 ? 'no credentials required' : `requires ${credentials.join(' or ')}`}
      </span>
    </p>
  )
}
