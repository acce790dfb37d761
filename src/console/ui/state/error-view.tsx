import type { ExecutionError } from '../../../contract/event.ts'
import { CopyButton } from '../controls/copy-button.tsx'
import { errorLocation } from './error-location.ts'

/** Errors within errors that are shown. */
const DEPTH = 5

export interface ErrorViewProps {
  readonly error: ExecutionError
  readonly depth?: number
}

/** An error that user code threw: what it said, where in the project, the stack, and what caused it. */
export function ErrorView({ error, depth = 0 }: ErrorViewProps) {
  const place = errorLocation(error.stack)
  const cause = isError(error.cause) && depth < DEPTH ? error.cause : undefined
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <p className="whitespace-pre-wrap break-words font-mono text-sm text-error">
        {depth > 0 && 'Caused by '}
        <bdi>{`${error.name}: ${error.message}`}</bdi>
      </p>
      {place !== undefined && (
        <p className="flex items-center gap-1 font-mono text-sm">
          <span className="break-all">{place}</span> <CopyButton text={place} label={`Copy ${place}`} />
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
