import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { useUsage } from '../../usage/use-usage.ts'
import { useLocation } from '../../router/use-location.ts'
import { useServices } from '../../services/services-context.tsx'
import { countText } from '../time/format-time.ts'
import { escapeHidden } from '../escape-text.ts'

export interface PageHeaderProps {
  readonly title: string
  /** Number of listed items. */
  readonly count?: number | undefined
  /** Shown beside the title: a status, an id. */
  readonly aside?: ReactNode
  /** Buttons at the end of the header. */
  readonly actions?: ReactNode
  /** The code of the screen is loading. */
  readonly opening?: boolean
}

/** Longer titles may be truncated, and get a tooltip. */
const LONG = 60

/**
 * The header of a screen, with the only h1 of the page, which is focused on navigation. The document title has the
 * same text, and the number of executions that need the user.
 */
export function PageHeader({ title: text, count, aside, actions, opening }: PageHeaderProps) {
  const title = escapeHidden(text)
  const { needed } = useUsage()
  const { recent } = useServices()
  const { path } = useLocation()
  useEffect(() => {
    document.title = `${needed > 0 ? `(${needed}) ` : ''}${title} · agentserver`
  }, [title, needed])
  useEffect(() => {
    if (opening !== true) recent.add(path, title)
  }, [recent, path, title, opening])
  return (
    <header className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5">
      <h1
        tabIndex={-1}
        data-opening={opening}
        title={title.length > LONG ? title : undefined}
        className="line-clamp-2 min-w-0 text-lg font-semibold [overflow-wrap:anywhere]"
      >
        <bdi>{title}</bdi>
      </h1>
      {count !== undefined && <span className="text-dim">{countText(count)}</span>}
      {aside}
      {actions !== undefined && <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  )
}
