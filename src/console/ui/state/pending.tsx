import { ErrorState } from './error-state.tsx'
import { Loading } from './states.tsx'

export interface PendingProps {
  readonly error: unknown
  readonly retry: () => unknown
  /** As `Asking the registry`. */
  readonly what?: string
}

/** What stands where an answer will be: that it is on its way, or why it is not. */
export function Pending({ error, retry, what }: PendingProps) {
  return error ? (
    <ErrorState error={error} retry={retry} />
  ) : (
    <Loading {...(what !== undefined && { what })} />
  )
}
