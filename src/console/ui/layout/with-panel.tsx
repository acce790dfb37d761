import type { ReactNode } from 'react'

export interface WithPanelProps {
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
