import { useId } from 'react'
import type { ReactNode } from 'react'
import { useKeys } from '../../keys/use-keys.ts'
import { CloseButton } from '../controls/button.tsx'
import { escapeHidden } from '../escape-text.ts'

interface SidePanelProps {
  readonly title: string
  /** Undefined when something else takes its place. */
  readonly close?: (() => void) | undefined
  readonly children: ReactNode
  readonly aside?: ReactNode
  readonly actions?: ReactNode
}

/** The details of the selected row, beside or below its list: see `WithPanel`. */
export function SidePanel({ title: text, close, children, aside, actions }: SidePanelProps) {
  const id = useId()
  const title = escapeHidden(text)
  useKeys(close ? [{ keys: 'Escape', label: 'Close details', group: 'Lists', run: close }] : [])
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
          {close && <CloseButton label="Close details" onClick={close} />}
        </div>
      </div>
      <div
        tabIndex={0}
        role="region"
        aria-label={`Details of ${title}`}
        className="flex min-h-0 flex-col gap-4 overflow-auto px-4 py-3 outline-offset-[-2px] *:shrink-0"
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

interface PanesProps {
  /** The list or the chart. */
  readonly children: ReactNode
  /** A `SidePanel`. */
  readonly panel: ReactNode
}

/** Two panes of about the same width; in narrow windows the second is below the first, and both scroll with the page. */
export function Panes({ children, panel }: PanesProps) {
  return (
    <div className="flex min-h-0 flex-1 flex-col max-sm:flex-none lg:flex-row lg:[&>section]:max-h-none lg:[&>section]:w-[44%] lg:[&>section]:border-l lg:[&>section]:border-t-0 max-sm:[&>section]:max-h-none">
      <div className="flex min-h-40 min-w-0 flex-1 flex-col max-sm:max-h-[26rem] max-sm:flex-none">
        {children}
      </div>
      {panel}
    </div>
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
