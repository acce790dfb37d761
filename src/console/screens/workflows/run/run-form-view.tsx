import { useRef, useState } from 'react'
import { ApiError } from '../../../../client/api-error.ts'
import type { WorkflowDetail } from '../../../../contract/endpoints/workflow.ts'
import { errorMessage } from '../../../api/request-failure.ts'
import { asClientCode, asCommand, asCurl, useCopyTarget } from '../../../execution/copy-as.ts'
import { NO_OPTIONS, forgetRun } from '../../../execution/saved-run.ts'
import { fieldErrors } from '../../../form/field-errors.ts'
import type { FieldErrors } from '../../../form/field-errors.ts'
import { SchemaForm } from '../../../form/schema-form.tsx'
import { shortJson } from '../../../json/parse-json.ts'
import { sendKeys } from '../../../keys/send-keys.ts'
import { useKeys } from '../../../keys/use-keys.ts'
import { useServices } from '../../../services/services-context.tsx'
import { Button, copyText } from '../../../ui/controls/button.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { Menu } from '../../../ui/dialog/menu.tsx'
import { useDiscard } from '../../../ui/dialog/discard-question.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { WorkflowInputs } from './workflow-inputs.tsx'
import { firstInput, useRunForm } from './use-run-form.ts'
import type { RunForm } from './use-run-form.ts'
import type { Start } from './use-start.ts'

export interface RunFormViewProps {
  readonly workflow: WorkflowDetail
  readonly start: Start
  /** The form shows the input of another run. */
  readonly isOfRun: boolean
  readonly isOpen: boolean
  readonly setOpen: (isOpen: boolean) => void
}

/** The form to run the workflow. It collapses when the run starts. */
export function RunFormView({ workflow, start, isOfRun, isOpen, setOpen }: RunFormViewProps) {
  const { toasts } = useServices()
  const target = useCopyTarget(workflow.id)
  const streaming = useCopyTarget(workflow.id, 'streamWorkflow')
  const form = useRunForm(workflow, isOfRun)
  const box = useRef<HTMLDivElement>(null)
  const { body } = form
  const { isStarting, failure } = start
  const send = () => {
    setOpen(true)
    if (body) form.input.submit(() => void start.start(body))
  }
  const focusForm = () => {
    setOpen(true)
    requestAnimationFrame(() => firstField(box.current)?.focus())
  }
  const reset = () => {
    forgetRun(workflow.id)
    form.input.replace(firstInput(workflow.inputSchema))
    form.setOptions(NO_OPTIONS)
  }
  const { schema, read } = form.input
  const isEdited =
    JSON.stringify(read()) !== JSON.stringify({ value: firstInput(schema) }) ||
    JSON.stringify(form.options) !== JSON.stringify(NO_OPTIONS)
  const { requestDiscard, question } = useDiscard(isEdited, reset)
  const request = { workflowId: workflow.id, input: body?.input, ...body?.options }
  const copy = (text: string) => void copyText(text, toasts)
  const group = 'Workflow'
  useKeys([
    { keys: 'r', label: 'Go to run form', group, run: focusForm },
    { keys: 'mod+Enter', label: 'Run', group, run: send },
    { keys: 'Y', label: 'Copy as curl', group, run: () => copy(asCurl(request, target)) },
  ])
  // takes precedence over the shortcut of the resume form
  const onKeyDown = sendKeys(send)
  const validationMessage = failure instanceof ApiError ? failure.message : undefined
  const optionErrors = optionErrorsIn(failure)
  const isAtField =
    validationMessage !== undefined && fieldErrors(validationMessage, 'input').size + optionErrors.size > 0
  return (
    <div ref={box} onKeyDown={onKeyDown}>
      <h2 className="border-b border-line">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="flex h-8 w-full items-center gap-1.5 bg-panel px-4 text-left hover:bg-hover"
        >
          <Icon name={isOpen ? 'down' : 'right'} className="text-dim" />
          <span className="font-semibold">Input</span>
          {!isOpen && (
            <span className="min-w-0 truncate font-mono text-sm text-dim">{shortJson(body?.input)}</span>
          )}
        </button>
      </h2>
      {isOpen && (
        <div className="flex flex-col gap-3 border-b border-line px-4 py-3">
          <SchemaForm
            form={form.input}
            label="Input"
            root="input"
            validationMessage={validationMessage}
            onSubmit={send}
          />
          <RunOptionsFields form={form} errors={optionErrors} />
          {failure !== undefined && !isAtField && <Failure failure={failure} />}
          <div className="flex flex-wrap items-center gap-2">
            <Button kind="primary" keys="Control+Enter" disabled={!body || isStarting} onClick={send}>
              <Icon name="play" /> Run
            </Button>
            <WorkflowInputs workflow={workflow} choose={form.input.replace} />
            <Menu
              label="Copy"
              items={[
                { name: 'As curl', run: () => copy(asCurl(request, target)) },
                { name: 'As curl, streaming', run: () => copy(asCurl(request, streaming)) },
                { name: 'As CLI command', run: () => copy(asCommand(request, target)) },
                { name: 'As client code', run: () => copy(asClientCode(request, target)) },
              ]}
            />
            <Button
              onClick={requestDiscard}
              title="Reset to the first example, or the defaults of the schema"
            >
              Reset
            </Button>
            <span role="status" className="text-sm text-dim">
              {isStarting && 'Starting…'}
            </span>
            {question}
          </div>
        </div>
      )}
    </div>
  )
}

/** An error that belongs to no field. */
function Failure({ failure }: { readonly failure: unknown }) {
  const { status, requestId } = failure instanceof ApiError ? failure : {}
  return (
    <div role="alert" className="text-sm text-error">
      <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">
        {status !== undefined && status > 0 && `${status}: `}
        {errorMessage(failure)}
      </p>
      {requestId !== undefined && <p className="text-dim">Request id: {requestId}</p>}
    </div>
  )
}

function optionErrorsIn(failure: unknown): ReadonlyMap<string, string> {
  if (!(failure instanceof ApiError)) return new Map()
  if (failure.status === 409) return new Map([['executionId', failure.message]])
  return fieldErrors(failure.message, 'options')
}

function firstField(box: HTMLElement | null): HTMLElement | null | undefined {
  return box?.querySelector<HTMLElement>(
    'input:not([aria-hidden]), textarea, [role="combobox"], [data-editor]',
  )
}

interface RunOptionsProps {
  readonly form: RunForm
  readonly errors: FieldErrors
}

const IDS = [
  ['userId', 'User id', 'User of the run'],
  ['conversationId', 'Conversation id', 'Conversation of the run'],
  ['executionId', 'Run id', 'Must be unique; default: a generated id'],
] as const

/** The options of a run. */
function RunOptionsFields({ form, errors }: RunOptionsProps) {
  const { options, setOptions, contextProblem } = form
  const hasOptions = Object.values(options).some((text) => text !== '')
  const contextError = contextProblem ?? errorAt(errors, 'context')
  const [isOpen, setOpen] = useState(hasOptions)
  return (
    <details open={isOpen || errors.size > 0} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="min-h-6 text-sm text-dim">Options</summary>
      <div className="flex flex-col gap-2 pt-1">
        {IDS.map(([key, label, hint]) => (
          <TextField
            key={key}
            label={label}
            value={options[key]}
            onChange={(text) => setOptions({ [key]: text.trim() })}
            error={errorAt(errors, key)}
            hint={hint}
          />
        ))}
        <TextField
          label="Context (JSON)"
          value={options.context}
          rows={Math.min(8, options.context.split('\n').length + 1)}
          onChange={(context) => setOptions({ context })}
          error={contextError}
          hint="Available to every step"
        />
      </div>
    </details>
  )
}

/** The error of an option, or of a value within it. */
function errorAt(errors: FieldErrors, key: string): string | undefined {
  const found = [...errors].find(
    ([path]) => path === key || path.startsWith(`${key}.`) || path.startsWith(`${key}[`),
  )
  return found?.[1]
}
