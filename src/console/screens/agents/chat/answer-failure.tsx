import { ApiError } from '../../../../client/api-error.ts'
import { errorMessage } from '../../../api/request-failure.ts'
import { Button, CopyButton } from '../../../ui/controls/button.tsx'
import { Icon } from '../../../ui/icon.tsx'

export interface AnswerFailureProps {
  readonly error: unknown
  /** The error from the history, if it is more detailed. */
  readonly reason?: string | undefined
  readonly retry?: () => void
}

/** The error of a failed answer. */
export function AnswerFailure({ error, reason, retry }: AnswerFailureProps) {
  const { status = 0, requestId } = error instanceof ApiError ? error : {}
  return (
    <div role="alert" className="rounded-md border border-error bg-error-panel p-2">
      <p className="whitespace-pre-wrap break-words">
        <Icon name="error" className="mr-1.5 inline text-error" />
        {status > 0 && `${status}: `}
        {errorMessage(error)}
      </p>
      {reason !== undefined && reason !== errorMessage(error) && (
        <p className="whitespace-pre-wrap break-words font-mono text-sm">{reason}</p>
      )}
      {requestId !== undefined && (
        <p className="flex items-center gap-1 text-sm">
          Request id: {requestId} <CopyButton text={requestId} label="Copy request id" />
        </p>
      )}
      {retry && (
        <div className="pt-1">
          <Button size="small" onClick={retry}>
            <Icon name="retry" /> Retry
          </Button>
        </div>
      )}
    </div>
  )
}
