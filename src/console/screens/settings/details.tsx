import { useId } from 'react'
import type { ReactNode } from 'react'
import { KeyValue } from '../../ui/layout/key-value.tsx'
import type { KeyValueProps } from '../../ui/layout/key-value.tsx'

export interface DetailsProps extends KeyValueProps {
  readonly title: string
  readonly children?: ReactNode
}

/** A titled group of details. */
export function Details({ title, rows, children }: DetailsProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="min-w-0">
      <h2 id={id} className="border-b border-line pb-1 font-semibold">
        {title}
      </h2>
      <div className="pt-2">
        <KeyValue rows={rows} />
      </div>
      {children}
    </section>
  )
}
