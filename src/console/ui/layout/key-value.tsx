import type { ReactNode } from 'react'

export interface KeyValueProps {
  /** Rows without a value are omitted. */
  readonly rows: readonly (readonly [name: ReactNode, value: ReactNode])[]
}

/** A list of names and values. */
export function KeyValue({ rows }: KeyValueProps) {
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1">
      {rows
        .filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false)
        .map(([name, value], index) => (
          <div key={index} className="contents">
            <dt className="text-dim">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
    </dl>
  )
}

/** A name with its value in a line of details; omitted without a value. */
export function Detail({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  if (children === false || children === '') return null
  return (
    <div className="flex min-h-6 min-w-0 items-center gap-1.5">
      <dt className="text-sm text-dim">{name}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-1.5 break-all">{children}</dd>
    </div>
  )
}
