import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { useActivity } from '../../live/use-activity.ts'
import { countText } from '../time/format-time.ts'

export interface PageHeaderProps {
  readonly title: string
  /** How many things it lists. */
  readonly count?: number | undefined
  /** Beside the title: a status, an id. */
  readonly aside?: ReactNode
  /** Buttons, at the far end. */
  readonly actions?: ReactNode
  /** The screen itself is yet to come. */
  readonly opening?: boolean
}

/** Titles beyond this may be cut. */
const LONG = 60

/**
 * The head of a screen, with the page's one h1, which gets the focus when the screen opens. The tab says the same,
 * and how much waits for a person.
 */
export function PageHeader({ title, count, aside, actions, opening }: PageHeaderProps) {
  const { needed } = useActivity()
  useEffect(() => {
    document.title = `${needed > 0 ? `(${needed}) ` : ''}${title} · agentserver`
  }, [title, needed])
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
