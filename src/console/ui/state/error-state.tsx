import { ApiError } from '../../../client/api-error.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { Button } from '../controls/button.tsx'
import { CopyButton } from '../controls/copy-button.tsx'
import { Icon } from '../icon.tsx'

export interface ErrorStateProps {
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
      <p className="whitespace-pre-wrap break-words pt-1 font-mono text-sm">{errorMessage(error)}</p>
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
