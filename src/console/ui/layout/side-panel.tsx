import { useId } from 'react'
import type { ReactNode } from 'react'
import { useKeys } from '../../keys/use-keys.ts'
import { CloseButton } from '../controls/button.tsx'
import { escapeHidden } from '../escape-text.ts'

interface SidePanelProps {
  readonly title: string
  readonly close: () => void
  readonly children: ReactNode
  readonly aside?: ReactNode
  readonly actions?: ReactNode
}

/** The details of the selected row, beside or below its list: see `WithPanel`. */
export function SidePanel({ title: text, close, children, aside, actions }: SidePanelProps) {
  const id = useId()
  const title = escapeHidden(text)
  useKeys([{ keys: 'Escape', label: 'Close details', group: 'Lists', run: close }])
  return (
    <section
      aria-labelledby={id}
      className="flex max-h-[55%] min-h-0 shrink-0 flex-col border-t border-line xl:max-h-none xl:w-[27rem] xl:border-l xl:border-t-0 2xl:w-[34rem]"
    >
      <div className="flex shrink-0 items-center gap-3 border-b border-line py-1 pl-4 pr-2">
        <h2 id={id} className="min-w-0 truncate font-semibold" title={title}>
          <bdi>{title}</bdi>
        </h2>
        {aside}
        <div className="ml-auto flex items-center gap-1">
          {actions}
          <CloseButton label="Close details" onClick={close} />
        </div>
      </div>
      <div
        tabIndex={0}
        role="region"
        aria-label={`Details of ${title}`}
        className="flex min-h-0 flex-col gap-4 overflow-auto px-4 py-3 outline-offset-[-2px]"
      >
        {children}
      </div>
    </section>
  )
}

interface SectionProps {
  readonly title: string
  readonly children: ReactNode
  /** Level of the heading: 2 on a screen, 3 in a panel. */
  readonly level?: 2 | 3
}

/** A section with a heading. */
export function Section({ title, children, level = 3 }: SectionProps) {
  const Heading = `h${level}` as const
  return (
    <section className="min-w-0">
      <Heading className="pb-1 text-sm font-semibold text-dim">{title}</Heading>
      {children}
    </section>
  )
}

interface WithPanelProps {
  /** A list or a chart. */
  readonly children: ReactNode
  /** The `SidePanel` of the selected item: beside the list, or below it in narrow windows. */
  readonly panel: ReactNode
}

/** A list with the details of the selected item. */
export function WithPanel({ children, panel }: WithPanelProps) {
  return (
    <div className="flex min-h-0 flex-1 flex-col xl:flex-row">
      <div className="flex min-h-24 min-w-0 flex-1 flex-col">{children}</div>
      {panel}
    </div>
  )
}
