import { readJson } from '../../json/parse-json.ts'
import { Failure } from '../../ui/state/error-view.tsx'
import { useId, useMemo, useState } from 'react'
import type { ExecutionDetail, ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import { ApiError } from '../../../client/api-error.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { useAction } from '../../api/use-endpoint.ts'
import { useServices } from '../../services/services-context.tsx'
import { JsonDiffView } from '../../json/json-diff-view.tsx'
import { sendKeys } from '../../keys/send-keys.ts'
import { JsonEditor } from '../../json/json-editor.tsx'
import { useTopic } from '../../live/use-topic.ts'
import { Button } from '../../ui/controls/button.tsx'
import { CancelButton, Dialog } from '../../ui/dialog/dialog.tsx'
import { Select } from '../../ui/controls/select.tsx'
import { serverClock } from '../../ui/time/use-now.ts'

export interface ReplayDialogProps {
  readonly record: ExecutionDetail
  /** The initial step; default: the failed one, else the first. */
  readonly stepId: string | undefined
  readonly close: () => void
}

/** Starts a new execution from a step of this one, with the same or an edited input. */
export function ReplayDialog({ record, stepId, close }: ReplayDialogProps) {
  const steps = record.steps
  const fromId = useId()
  const [from, setFrom] = useState(stepId ?? record.error?.stepId ?? steps[0]?.stepId ?? '')
  const step = steps.find((one) => one.stepId === from)
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const text = texts[from] ?? JSON.stringify(step?.input ?? null, null, 2)
  const { value, problem } = useMemo(() => readJson(text), [text])
  const { replay, isPending, failure } = useReplay(record, close)
  const edited = texts[from] !== undefined && problem === undefined
  const send = () => {
    if (problem === undefined && step && !isPending) replay({ stepId: from, ...(edited && { input: value }) })
  }
  return (
    <Dialog title={`Replay ${record.workflowName}`} close={close} edited={Object.keys(texts).length > 0}>
      <div onKeyDown={sendKeys(send)} className="flex w-[44rem] max-w-full flex-col gap-3">
        <p className="text-dim">
          Starts a new run with the results of the steps before, from the selected step on, with the current
          code.
        </p>
        <div>
          <label htmlFor={fromId} className="block pb-0.5 text-sm text-dim">
            From step
          </label>
          <Select
            id={fromId}
            value={from}
            options={steps.map(({ stepId: value, name, path }) => ({
              value,
              text: name === value ? path : `${name} · ${path}`,
            }))}
            onChange={setFrom}
          />
        </div>
        <div>
          <div className="pb-0.5 text-sm text-dim">Input</div>
          <JsonEditor
            key={from}
            label="Input of the step"
            value={text}
            onChange={(next) => setTexts({ ...texts, [from]: next })}
            onSubmit={send}
            error={problem}
          />
        </div>
        <section aria-label="Changes" className="max-h-48 overflow-auto" tabIndex={0}>
          <div className="pb-0.5 text-sm text-dim">Changes</div>
          {problem === undefined && (
            <JsonDiffView
              before={step?.input}
              after={value}
              label="Input differences"
              same="No changes: the step gets its original input"
            />
          )}
        </section>
        <Failure text={failure} />
        <div className="flex justify-end gap-2">
          <CancelButton />
          <Button
            kind="primary"
            onClick={send}
            disabled={isPending || problem !== undefined || !step}
            keys="Control+Enter"
          >
            {isPending ? 'Starting…' : 'Replay'}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

/** Replays, and opens the new execution when it is created: the response comes when it has ended. */
function useReplay({ id, workflowId }: ExecutionDetail, close: () => void) {
  const { router, queries } = useServices()
  const { mutate, isPending, error } = useAction('replayExecution')
  const [sentAt, setSentAt] = useState<number>()
  const go = (executionId: string) => {
    close()
    void queries.invalidateQueries({ queryKey: ['observeExecutions'] })
    void router.navigate(`executions/${encodeURIComponent(executionId)}`)
  }
  useTopic(sentAt === undefined ? undefined : 'executions', {
    onFrame: ({ type, data }) => {
      const created = data as ExecutionRecord
      const isReplay = type === 'execution:created' && created.forkedFrom?.executionId === id
      if (isReplay && Date.parse(created.createdAt) >= (sentAt ?? 0) - 60_000) go(created.id)
    },
  })
  const failedRun = error instanceof ApiError && error.executionId !== undefined
  return {
    isPending,
    failure: error && !failedRun ? errorMessage(error) : undefined,
    replay: (body: { stepId: string; input?: unknown }) => {
      setSentAt(serverClock.now())
      mutate(
        { params: { id: workflowId, executionId: id }, body },
        {
          onSuccess: ({ executionId }) => go(executionId),
          onError: (failure) => {
            const created = failure instanceof ApiError ? failure.executionId : undefined
            if (created !== undefined) go(created)
          },
        },
      )
    },
  }
}
