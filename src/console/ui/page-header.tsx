import { useEffect } from 'react'
import type { ReactNode } from 'react'

export interface PageHeaderProps {
  readonly title: string
  /** Beside the title: a status, an id. */
  readonly aside?: ReactNode
  /** Buttons, at the far end. */
  readonly actions?: ReactNode
}

/** The head of a screen, with the page's one h1, which gets the focus when the screen opens. */
export function PageHeader({ title, aside, actions }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · agentserver`
  }, [title])
  return (
    <header className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5">
      <h1 tabIndex={-1} className="min-w-0 break-words text-lg font-semibold">
        {title}
      </h1>
      {aside}
      {actions !== undefined && <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  )
}
