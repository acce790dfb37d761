import type { ReactNode } from 'react'
import { ApiError } from '../../../client/api-error.ts'
import { useServerStatus } from '../../live/config-status.ts'
import { CodeFrame } from '../code-frame.tsx'
import { CopyButton } from '../controls/button.tsx'
import { ErrorState } from './error-view.tsx'

/** The loading state. */
export function Loading({ what = 'Loading' }: { readonly what?: string }) {
  return (
    <p role="status" className="p-4 text-dim">
      {what}…
    </p>
  )
}

export interface EmptyStateProps {
  readonly title: string
  readonly children?: ReactNode
  /** Example code that creates the first item. */
  readonly code?: string
}

/** The empty state, with a hint how to create the first item. */
export function EmptyState({ title, children, code }: EmptyStateProps) {
  return (
    <section className="max-w-3xl p-4">
      <h2 className="font-semibold">{title}</h2>
      {children !== undefined && <div className="pt-1 text-dim">{children}</div>}
      {code !== undefined && (
        <div className="relative mt-3 rounded-md border border-line bg-panel p-2 pr-9">
          <CodeFrame text={code} />
          <div className="absolute right-1 top-1">
            <CopyButton text={code} label="Copy code" />
          </div>
        </div>
      )}
    </section>
  )
}

function isUnserved(error: unknown): boolean {
  return error instanceof ApiError && error.status === 503
}

export interface PendingProps {
  readonly error: unknown
  readonly retry: () => unknown
  /** Such as `Checking for updates`. */
  readonly what?: string
}

/** Placeholder for data that is loading or could not be loaded. */
export function Pending({ error, retry, what }: PendingProps) {
  const { error: outage } = useServerStatus()
  // the bar on every page says why nothing is served
  if (isUnserved(error) && isUnserved(outage)) return <Loading what="Waiting for the server" />
  return error ? (
    <ErrorState error={error} retry={retry} />
  ) : (
    <Loading {...(what !== undefined && { what })} />
  )
}
