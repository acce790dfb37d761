import { useId } from 'react'
import type { ReactNode } from 'react'

export interface TitledSectionProps {
  readonly title: string
  /** Shown at the end of the title row. */
  readonly aside?: ReactNode
  readonly children: ReactNode
}

/** A section of a screen below a line with its title. */
export function TitledSection({ title, aside, children }: TitledSectionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="min-w-0">
      <div
        className={`flex items-center justify-between gap-4 border-b border-line pb-1 ${aside === undefined ? '' : 'min-h-7'}`}
      >
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  )
}
