import { ErrorState } from './error-state.tsx'
import { Loading } from './states.tsx'

export interface PendingProps {
  readonly error: unknown
  readonly retry: () => unknown
  /** Such as `Checking for updates`. */
  readonly what?: string
}

/** Placeholder for data that is loading or could not be loaded. */
export function Pending({ error, retry, what }: PendingProps) {
  return error ? (
    <ErrorState error={error} retry={retry} />
  ) : (
    <Loading {...(what !== undefined && { what })} />
  )
}
