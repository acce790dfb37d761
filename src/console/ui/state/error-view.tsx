import type { ExecutionError } from '../../../contract/event.ts'
import { CopyButton, Button } from '../controls/button.tsx'
import { errorLocation } from './error-location.ts'
import { ApiError } from '../../../client/api-error.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { escapeHidden } from '../escape-text.ts'
import { Icon } from '../icon.tsx'

/** Number of nested causes shown. */
const MAX_DEPTH = 5

interface ErrorViewProps {
  readonly error: ExecutionError
  readonly depth?: number
}

/** An error of user code: message, location in the project, stack and causes. */
export function ErrorView({ error, depth = 0 }: ErrorViewProps) {
  const location = errorLocation(error.stack)
  const cause = isError(error.cause) && depth < MAX_DEPTH ? error.cause : undefined
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <p className="whitespace-pre-wrap break-words font-mono text-sm text-error">
        {depth > 0 && 'Caused by '}
        <bdi>{escapeHidden(`${error.name}: ${error.message}`)}</bdi>
      </p>
      {location !== undefined && (
        <p className="flex items-center gap-1 font-mono text-sm">
          <span className="break-all">{location}</span>{' '}
          <CopyButton text={location} label={`Copy ${location}`} />
        </p>
      )}
      {error.stack !== undefined && (
        <Stack text={error.stack} label={depth > 0 ? 'Stack of the cause' : 'Stack'} />
      )}
      {cause && <ErrorView error={cause} depth={depth + 1} />}
    </div>
  )
}

export function Stack({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <pre
      tabIndex={0}
      role="group"
      aria-label={label}
      className="max-h-56 overflow-auto rounded-sm border border-line bg-panel p-2 font-mono text-sm"
    >
      {escapeHidden(text)}
    </pre>
  )
}

export function isError(value: unknown): value is ExecutionError {
  return typeof value === 'object' && value !== null && 'message' in value && 'name' in value
}

/** Why an action failed; nothing while it has not. */
export function Failure({ text }: { readonly text: string | undefined }) {
  return (
    text !== undefined && (
      <p role="alert" className="break-words text-error">
        {escapeHidden(text)}
      </p>
    )
  )
}

interface ErrorStateProps {
  readonly error: unknown
  readonly retry?: () => unknown
}

/** An error with its status, message and request id, and a retry button. */
export function ErrorState({ error, retry }: ErrorStateProps) {
  const request = error instanceof ApiError ? error : undefined
  return (
    <section role="alert" className="max-w-3xl p-4">
      <h2 className="font-semibold text-error">
        <Icon name="error" className="mr-1.5 inline" />
        {request ? titleOf(request) : 'This page failed to render'}
      </h2>
      <p className="whitespace-pre-wrap break-words pt-1 font-mono text-sm">
        {escapeHidden(errorMessage(error))}
      </p>
      {request?.requestId !== undefined && (
        <p className="flex items-center gap-1 pt-1 text-sm text-dim">
          Request id: {request.requestId} <CopyButton text={request.requestId} label="Copy request id" />
        </p>
      )}
      {retry && (
        <div className="pt-3">
          <Button onClick={() => void retry()}>Retry</Button>
        </div>
      )}
    </section>
  )
}

function titleOf({ status, message }: ApiError): string {
  // all routes of this page are those of its own version
  if (message.startsWith('Route not found: '))
    return 'The server is of an older version, which does not have this'
  return status === 0 ? 'No response' : `Request failed: HTTP ${status}`
}
