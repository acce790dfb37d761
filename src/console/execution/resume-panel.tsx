import { useId, useState } from 'react'
import type { ExecutionDetail } from '../../contract/endpoints/execution.ts'
import { ApiError } from '../../client/api-error.ts'
import { errorMessage } from '../api/request-failure.ts'
import { useAction } from '../api/use-endpoint.ts'
import { useServices } from '../services/services-context.tsx'
import { SchemaForm } from '../form/schema-form.tsx'
import { useForm } from '../form/use-form.ts'
import type { JsonSchema } from '../form/json-schema.ts'
import { JsonEditor } from '../json/json-editor.tsx'
import { JsonView } from '../json/json-view.tsx'
import { useKeys } from '../keys/use-keys.ts'
import { Button } from '../ui/controls/button.tsx'
import { IconButton } from '../ui/controls/icon-button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Time } from '../ui/time/time.tsx'
import { focusResumePanel } from './focus-resume-panel.ts'

export interface ResumePanelProps {
  readonly record: ExecutionDetail
  readonly refetch: () => void
}

/** The question that a suspended execution waits with, and its answer. */
export function ResumePanel({ record, refetch }: ResumePanelProps) {
  const id = useId()
  const [isOpen, setOpen] = useState(true)
  const { suspension } = record
  const toAnswer = () => {
    setOpen(true)
    requestAnimationFrame(focusResumePanel)
  }
  useKeys([{ keys: 'u', label: 'Answer and resume', group: 'Execution', run: toAnswer }])
  const asked = record.events.findLast(({ type }) => type === 'workflow-suspended')
  if (!suspension) return null
  const schema = asked?.['resumeSchema'] as JsonSchema | null | undefined
  const answer = { record, refetch }
  return (
    <section
      aria-labelledby={id}
      data-resume=""
      className="@container max-h-[45%] shrink-0 overflow-auto border-b border-line bg-warning-panel px-4 py-1.5"
      tabIndex={0}
    >
      <h2 className="flex items-center gap-x-1.5 font-semibold">
        <IconButton label={isOpen ? 'Hide the answer' : 'Show the answer'} onClick={() => setOpen(!isOpen)}>
          <Icon name={isOpen ? 'down' : 'right'} />
        </IconButton>
        <Icon name="suspended" className="shrink-0 text-suspended" />
        <bdi id={id} className="line-clamp-4 min-w-0 max-w-full break-words" title={suspension.reason}>
          Waits at {suspension.stepId}: {suspension.reason}
        </bdi>
        <span className="whitespace-nowrap text-sm font-normal text-dim">
          <Time at={suspension.suspendedAt} />
        </span>
      </h2>
      <div className={`grid gap-x-8 gap-y-2 pt-2 @2xl:grid-cols-2 ${isOpen ? '' : 'hidden'}`}>
        {suspension.data !== undefined && suspension.data !== null && (
          <div className="min-w-0">
            <h3 className="pb-1 text-sm text-dim">It asks with</h3>
            <JsonView value={suspension.data} label="What it asks with" />
          </div>
        )}
        {schema ? (
          <AnswerForm key={suspension.suspendedAt} schema={schema} {...answer} />
        ) : (
          <FreeAnswer key={suspension.suspendedAt} {...answer} />
        )}
      </div>
    </section>
  )
}

function AnswerForm({ schema, record, refetch }: ResumePanelProps & { readonly schema: JsonSchema }) {
  const form = useForm(schema)
  const { resume, isPending, refusal } = useResume(record, refetch)
  const { value, problem } = form.read()
  const send = () => {
    if (problem === undefined) resume({ resumeData: value })
  }
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <SchemaForm form={form} label="Answer" root="resumeData" refusal={refusal} onSubmit={send} />
      <SendButton send={send} disabled={isPending || problem !== undefined} />
    </div>
  )
}

/** For what asked nothing, or anything. */
function FreeAnswer({ record, refetch }: ResumePanelProps) {
  const [text, setText] = useState('')
  const { resume, isPending, refusal } = useResume(record, refetch)
  const { body, problem } = bodyOf(text)
  const send = () => {
    if (problem === undefined) resume(body)
  }
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <details>
        <summary className="text-sm text-dim">Send data with it</summary>
        <div className="pt-1">
          <JsonEditor
            label="Data for the step"
            value={text}
            onChange={setText}
            onSubmit={send}
            error={problem}
          />
        </div>
      </details>
      {refusal !== undefined && <p className="text-sm text-error">{refusal}</p>}
      <SendButton send={send} disabled={isPending || problem !== undefined} />
    </div>
  )
}

function SendButton({ send, disabled }: { readonly send: () => void; readonly disabled: boolean }) {
  useKeys([{ keys: 'mod+Enter', label: 'Resume with the answer', group: 'Execution', run: send }])
  return (
    <div>
      <Button kind="primary" onClick={send} disabled={disabled} keys="Control+Enter">
        Resume
      </Button>
    </div>
  )
}

function bodyOf(text: string): { readonly body: { resumeData?: unknown }; readonly problem?: string } {
  if (text.trim() === '') return { body: {} }
  try {
    return { body: { resumeData: JSON.parse(text) as unknown } }
  } catch (error) {
    return { body: {}, problem: `This is not JSON: ${errorMessage(error)}` }
  }
}

/** Resumes. How the run ends is told by its events; what is refused is said at the form. */
function useResume({ id, workflowId }: ExecutionDetail, refetch: () => void) {
  const { toasts } = useServices()
  const { mutate, isPending, error } = useAction('resumeExecution')
  const isRefusal = error instanceof ApiError && error.status === 400
  return {
    isPending,
    refusal: isRefusal ? error.message : undefined,
    resume: (body: { resumeData?: unknown }) =>
      mutate(
        { params: { id: workflowId, executionId: id }, body },
        {
          onError: (failure) => {
            // 500: it was resumed, and then it failed, as its record shows
            const status = failure instanceof ApiError ? failure.status : 0
            if (status !== 400 && status !== 500) toasts.error(errorMessage(failure))
          },
          onSettled: refetch,
        },
      ),
  }
}
