import type { KeyboardEvent, ReactNode } from 'react'
import { useId } from 'react'
import { useUrlState } from '../../router/use-url-state.ts'

export interface Tab {
  readonly id: string
  readonly name: string
  readonly count?: number | undefined
  readonly render: () => ReactNode
}

export interface TabsProps {
  readonly label: string
  /** The first is the default, when the URL has no `tab`. */
  readonly tabs: readonly [Tab, ...Tab[]]
}

/** Tabs whose selection is the URL parameter `tab`. */
export function Tabs({ label, tabs }: TabsProps) {
  const id = useId()
  const [{ tab }, set] = useUrlState({ tab: tabs[0].id })
  const current = tabs.find((one) => one.id === tab) ?? tabs[0]
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    const next = tabs[(tabs.indexOf(current) + step + tabs.length) % tabs.length] ?? tabs[0]
    set({ tab: next.id })
    document.getElementById(`${id}-${next.id}`)?.focus()
  }
  return (
    <>
      <div
        role="tablist"
        aria-label={label}
        onKeyDown={onKeyDown}
        className="flex shrink-0 gap-1 border-b border-line px-3"
      >
        {tabs.map((one) => (
          <button
            key={one.id}
            id={`${id}-${one.id}`}
            type="button"
            role="tab"
            aria-selected={one === current}
            aria-controls={`${id}-panel`}
            tabIndex={one === current ? 0 : -1}
            onClick={() => set({ tab: one.id })}
            className={`-mb-px border-b-2 px-2 py-1.5 ${one === current ? 'border-accent font-medium text-text' : 'border-transparent text-dim hover:text-text'}`}
          >
            {one.name}
            {one.count !== undefined && <span className="ml-1.5 text-sm text-dim">{one.count}</span>}
          </button>
        ))}
      </div>
      <div
        id={`${id}-panel`}
        role="tabpanel"
        aria-labelledby={`${id}-${current.id}`}
        className="flex min-h-0 flex-1 flex-col overflow-auto"
        tabIndex={-1}
      >
        {current.render()}
      </div>
    </>
  )
}
