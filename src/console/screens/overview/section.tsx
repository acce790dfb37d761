import { useId } from 'react'
import type { ReactNode } from 'react'

export interface SectionProps {
  readonly title: string
  /** Shown at the end of the title row. */
  readonly aside?: ReactNode
  readonly children: ReactNode
}

/** A section of the overview. */
export function Section({ title, aside, children }: SectionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="min-w-0">
      <div className="flex min-h-7 items-center justify-between gap-4 border-b border-line pb-1">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  )
}
