import type { ReactNode } from 'react'

export interface WithPanelProps {
  /** Rows, or a picture. */
  readonly children: ReactNode
  /** The `SidePanel` of what is chosen among them: beside them, or below where the window is narrow. */
  readonly panel: ReactNode
}

/** What something is chosen in, and what is to be known of it. */
export function WithPanel({ children, panel }: WithPanelProps) {
  return (
    <div className="flex min-h-0 flex-1 flex-col xl:flex-row">
      <div className="flex min-h-24 min-w-0 flex-1 flex-col">{children}</div>
      {panel}
    </div>
  )
}
