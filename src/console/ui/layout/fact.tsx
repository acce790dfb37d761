import type { ReactNode } from 'react'

/** A name with its value in a line of facts; omitted without a value. */
export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  if (children === false || children === '') return null
  return (
    <div className="flex min-h-6 min-w-0 items-center gap-1.5">
      <dt className="text-sm text-dim">{name}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-1.5 break-all">{children}</dd>
    </div>
  )
}
