import type { ReactNode } from 'react'
import { Tabs as BaseTabs } from '@base-ui/react/tabs'
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

/** Tabs whose selection is the URL parameter `tab`. The arrow keys, Home and End select. */
export function Tabs({ label, tabs }: TabsProps) {
  const [{ tab }, set] = useUrlState({ tab: tabs[0].id })
  const current = tabs.find((one) => one.id === tab) ?? tabs[0]
  return (
    <BaseTabs.Root
      value={current.id}
      onValueChange={(id: string) => set({ tab: id })}
      className="flex min-h-0 flex-1 flex-col max-sm:min-h-[70%]"
    >
      <BaseTabs.List
        aria-label={label}
        activateOnFocus
        className="flex shrink-0 gap-1 overflow-x-auto overflow-y-hidden border-b border-line px-3"
      >
        {tabs.map((one) => (
          <BaseTabs.Tab
            key={one.id}
            value={one.id}
            className="-mb-px shrink-0 border-b-2 border-transparent px-2 py-1.5 text-dim -outline-offset-2 hover:text-text data-active:border-accent data-active:font-medium data-active:text-text"
          >
            {one.name}
            {one.count !== undefined && <span className="ml-1.5 text-sm text-dim">{one.count}</span>}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {tabs.map((one) => (
        <BaseTabs.Panel
          key={one.id}
          value={one.id}
          tabIndex={-1}
          className="flex min-h-0 flex-1 flex-col overflow-auto"
        >
          {one === current && one.render()}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  )
}
