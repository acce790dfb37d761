import type { MouseEvent, ReactNode } from 'react'
import { useServices } from '../services/services-context.tsx'

export interface LinkProps {
  /** Relative to the console: `executions/abc`. */
  readonly to: string
  readonly children: ReactNode
  readonly className?: string
  readonly title?: string
  readonly current?: boolean
  readonly tabIndex?: number
  readonly label?: string
}

/** A link within the console. Modifier keys open it in a new tab or window, as for any link. */
export function Link({ to, children, className, title, current, tabIndex, label }: LinkProps) {
  const { router, live } = useServices()
  // without a server, a failed load would have to be repeated
  const preload = () => live.state() === 'open' && router.preload(to)
  const follow = (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    void router.navigate(to)
  }
  return (
    <a
      href={router.href(to)}
      onClick={follow}
      onPointerEnter={preload}
      onFocus={preload}
      className={className ?? 'text-accent hover:underline'}
      title={title}
      tabIndex={tabIndex}
      aria-label={label}
      aria-current={current ? 'page' : undefined}
    >
      {children}
    </a>
  )
}
