import type { ExecutionError } from '../../../contract/event.ts'
import { CopyButton } from '../controls/copy-button.tsx'
import { errorLocation } from './error-location.ts'

/** Number of nested causes shown. */
const MAX_DEPTH = 5

export interface ErrorViewProps {
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
        <bdi>{`${error.name}: ${error.message}`}</bdi>
      </p>
      {location !== undefined && (
        <p className="flex items-center gap-1 font-mono text-sm">
          <span className="break-all">{location}</span>{' '}
          <CopyButton text={location} label={`Copy ${location}`} />
        </p>
      )}
      {error.stack !== undefined && (
        <pre
          tabIndex={0}
          role="group"
          aria-label={depth > 0 ? 'Stack of the cause' : 'Stack'}
          className="max-h-56 overflow-auto rounded-sm border border-line bg-panel p-2 font-mono text-sm"
        >
          {error.stack}
        </pre>
      )}
      {cause && <ErrorView error={cause} depth={depth + 1} />}
    </div>
  )
}

function isError(value: unknown): value is ExecutionError {
  return typeof value === 'object' && value !== null && 'message' in value && 'name' in value
}
