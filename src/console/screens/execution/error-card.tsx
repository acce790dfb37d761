import { useId, useState } from 'react'
import type { ExecutionDetail } from '../../../contract/endpoints/execution.ts'
import type { LogRecord } from '../../../contract/endpoints/log.ts'
import type { ExecutionError } from '../../../contract/event.ts'
import { failingLine } from '../../../contract/failing-line.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { useEditorLink } from '../../code/editor-link.ts'
import { useServices } from '../../services/services-context.tsx'
import { CodeFrame } from '../../ui/code-frame.tsx'
import { Button, CopyButton, copyText } from '../../ui/controls/button.tsx'
import { escapeHidden } from '../../ui/escape-text.ts'
import { Icon } from '../../ui/icon.tsx'
import { errorLocation } from '../../ui/state/error-location.ts'
import { isError, Stack } from '../../ui/state/error-view.tsx'

export interface ErrorCardProps {
  readonly record: ExecutionDetail
  readonly error: ExecutionError
  /** Undefined where it cannot be replayed. */
  readonly replay: ((stepId: string) => void) | undefined
  /** Whether the server has its log. */
  readonly isStored: boolean
  /** Selects the step that failed. */
  readonly showStep?: ((stepId: string) => void) | undefined
  /** Collapsed, as the last replay of the pin is what counts. */
  readonly isPinned?: boolean
}

/** Why a pinned execution failed, collapsed below its last replay; see `OpenErrorCard`. */
export function ErrorCard({ isPinned = false, ...props }: ErrorCardProps) {
  if (!isPinned) return <OpenErrorCard {...props} />
  return (
    <details>
      <summary className="py-1 text-sm text-dim">Error of the first run</summary>
      <OpenErrorCard {...props} />
    </details>
  )
}

/** Why an execution failed: the message, the line of code as it was when it ran, causes and stack. */
function OpenErrorCard({ record, error, replay, isStored, showStep }: ErrorCardProps) {
  const id = useId()
  const { stepId, stack } = error
  const causes = causesOf(error)
  return (
    <section
      aria-labelledby={id}
      tabIndex={0}
      className="flex min-w-0 flex-col gap-2 rounded-md bg-error-panel px-3 py-2"
    >
      <h2 id={id} className="flex min-w-0 gap-1.5 font-semibold">
        <Icon name="error" className="mt-1 text-error" />
        <bdi className="min-w-0 whitespace-pre-wrap break-words">
          {escapeHidden(`${error.name}: ${error.message}`)}
        </bdi>
      </h2>
      <Place error={error} steps={record.steps} showStep={showStep} />
      <div className="flex flex-wrap items-center gap-2">
        <OpenInEditor error={error} />
        {replay && stepId !== undefined && (
          <Button size="small" onClick={() => replay(stepId)} title={`Replay from step ${stepId}`}>
            <Icon name="retry" /> Replay from here
          </Button>
        )}
        <CopyMarkdown record={record} error={error} isStored={isStored} />
      </div>
      {causes.length > 0 && (
        // the error of a parent has no place of its own: that of its child is the cause
        <details open={error.location === undefined && failingLine(error) !== undefined}>
          <summary className="text-sm text-dim">
            {causes.length === 1 ? 'Cause' : `${causes.length} causes`}
          </summary>
          <ul className="flex flex-col gap-2 pt-1">
            {causes.map((cause, index) => (
              <li key={index} className="flex min-w-0 flex-col gap-1">
                <bdi className="whitespace-pre-wrap break-words">
                  {escapeHidden(`${cause.name}: ${cause.message}`)}
                </bdi>
                <Place error={cause} steps={record.steps} />
                {cause.stack !== undefined && <Stack text={cause.stack} label="Stack of the cause" />}
              </li>
            ))}
          </ul>
        </details>
      )}
      {stack !== undefined && (
        <details>
          <summary className="text-sm text-dim">Stack</summary>
          <div className="mt-1">
            <Stack text={stack} label="Stack" />
          </div>
        </details>
      )}
    </section>
  )
}

/** The step, the position, and the lines of source around it. */
function Place({
  error,
  steps,
  showStep,
}: {
  readonly error: ExecutionError
  readonly steps: ExecutionDetail['steps']
  readonly showStep?: ErrorCardProps['showStep']
}) {
  const { stepId, stack, location } = error
  const name = steps.find((step) => step.stepId === stepId)?.name ?? stepId
  const position = location ? `${location.file}:${location.line}:${location.column}` : errorLocation(stack)
  return (
    <>
      {(stepId !== undefined || position !== undefined) && (
        <p className="flex flex-wrap items-center gap-x-3 text-sm">
          {stepId !== undefined && (
            <span className="break-all">
              <span className="text-dim">Step</span>{' '}
              {showStep ? (
                <button
                  type="button"
                  title={stepId}
                  className="text-accent hover:underline"
                  onClick={() => showStep(stepId)}
                >
                  <bdi>{name}</bdi>
                </button>
              ) : (
                <bdi title={stepId}>{name}</bdi>
              )}
            </span>
          )}
          {position !== undefined && (
            <span className="flex min-w-0 items-center gap-1 font-mono">
              <span className="break-all">{position}</span>
              <CopyButton text={position} label={`Copy ${position}`} />
            </span>
          )}
        </p>
      )}
      {location && (
        <div className="min-w-0 rounded-sm border border-line bg-panel p-2">
          <CodeFrame text={location.frame} />
        </div>
      )}
    </>
  )
}

function OpenInEditor({ error }: { readonly error: ExecutionError }) {
  const link = useEditorLink(failingLine(error))
  return (
    link && (
      <a
        href={link.href}
        className="inline-flex items-center gap-1 whitespace-nowrap rounded-sm border border-accent bg-accent px-2 py-px text-sm font-medium text-on-accent hover:opacity-90"
      >
        <Icon name="external" /> Open in {link.name}
      </a>
    )
  )
}

const LOGS_COPIED = '100'

interface CopyMarkdownProps {
  readonly record: ExecutionDetail
  readonly error: ExecutionError
  /** Whether the server has its log. */
  readonly isStored: boolean
}

function CopyMarkdown({ record, error, isStored }: CopyMarkdownProps) {
  const { api, toasts } = useServices()
  const [isLoading, setLoading] = useState(false)
  const copy = async () => {
    setLoading(true)
    try {
      const query = { executionId: record.id, limit: LOGS_COPIED }
      const logs = isStored ? await api.call('listLogs', { query }) : []
      await copyText(errorMarkdown(record, error, logs.toReversed()), toasts)
    } catch (failure) {
      toasts.error(errorMessage(failure))
    } finally {
      setLoading(false)
    }
  }
  return (
    <Button size="small" onClick={() => void copy()} disabled={isLoading}>
      <Icon name="copy" /> Copy as Markdown
    </Button>
  )
}

/** Characters of a value or a stack that are copied. */
const MAX_LENGTH = 8000

/** A failed execution as Markdown, for an issue or a coding agent: error, source, input and logs (oldest first). */
function errorMarkdown(
  { id, workflowId, createdAt, input, steps }: ExecutionDetail,
  error: ExecutionError,
  logs: readonly LogRecord[],
): string {
  const step = steps.find(({ stepId }) => stepId === error.stepId)
  const place = error.stepId === undefined ? '' : ` in step ${code(error.stepId)}`
  return [
    `# Workflow ${code(workflowId)} failed${place}`,
    `Run ${code(id)}, started ${createdAt}`,
    ...errorParts(error),
    ...causesOf(error).flatMap((cause) => ['## Caused by', ...errorParts(cause)]),
    ...(error.stack === undefined ? [] : ['## Stack', block(error.stack)]),
    '## Input',
    json(input),
    ...(step ? [`## Input of step ${code(step.stepId)}`, json(step.input)] : []),
    ...(logs.length === 0 ? [] : ['## Logs', block(logs.map(lineOf).join('\n'))]),
  ].join('\n\n')
}

function errorParts({ name, message, location }: ExecutionError): string[] {
  return [
    block(`${name}: ${message}`),
    ...(location
      ? [`${code(`${location.file}:${location.line}:${location.column}`)}:`, block(location.frame)]
      : []),
  ]
}

function lineOf({ timestamp, level, message }: LogRecord): string {
  return `${timestamp} ${level} ${message}`
}

function json(value: unknown): string {
  return block(JSON.stringify(value ?? null, null, 2), 'json')
}

/** A code block. Its fence is longer than any in the text. */
function block(text: string, language = ''): string {
  const shown = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
  const longest = Math.max(2, ...(shown.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${shown}\n${fence}`
}

function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}

/** Number of causes shown. */
const MAX_CAUSES = 5

/** The causes of an error, the nearest first. */
function causesOf(error: ExecutionError): readonly ExecutionError[] {
  const causes: ExecutionError[] = []
  for (let { cause } = error; isError(cause) && causes.length < MAX_CAUSES; { cause } = cause)
    causes.push(cause)
  return causes
}
