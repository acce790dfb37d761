import type { ReactNode } from 'react'

export interface IconButtonProps {
  /** Accessible name and tooltip. */
  readonly label: string
  /** An icon. */
  readonly children: ReactNode
  readonly onClick: () => void
  readonly pressed?: boolean
  readonly disabled?: boolean
}

/** A button with an icon only. */
export function IconButton({ label, children, onClick, pressed, disabled }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      data-tooltip={label}
      aria-pressed={pressed}
      disabled={disabled}
      onClick={onClick}
      className="inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-dim hover:bg-hover hover:text-text disabled:opacity-50 aria-pressed:bg-chosen aria-pressed:text-text"
    >
      {children}
    </button>
  )
}
