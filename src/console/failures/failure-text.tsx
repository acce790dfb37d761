import type { Failure } from '../../contract/endpoints/failures.ts'
import { failingLine } from '../../contract/failing-line.ts'
import { useEditorLink } from '../code/editor-link.ts'
import { oneLine } from '../ui/escape-text.ts'

const MAX_CHARACTERS = 200

/** The error of a failure on one line, without characters that are not shown as they are. */
export function failureText({ error: { name, message } }: Pick<Failure, 'error'>): string {
  return oneLine(`${name}: ${message}`, MAX_CHARACTERS)
}

/** The workflow and the step of a failure: `Payout › pay`. */
export function failurePlace({ workflowId, workflowName, error }: Failure): string {
  const workflow = oneLine(workflowName || workflowId, 60)
  return error.stepId === undefined ? workflow : `${workflow} › ${oneLine(error.stepId, 60)}`
}

/** The line that failed, which opens in the editor; nothing in production. */
export function FailingLine({ error }: Pick<Failure, 'error'>) {
  const location = failingLine(error)
  const link = useEditorLink(location)
  if (!location) return null
  const text = `${location.file}:${location.line}`
  return link ? (
    <a
      href={link.href}
      className="block font-mono text-accent hover:underline"
      title={`Open in ${link.name}`}
    >
      {text}
    </a>
  ) : (
    <span className="font-mono">{text}</span>
  )
}
