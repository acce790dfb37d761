import type { ReactNode } from 'react'

export interface ButtonProps {
  readonly children: ReactNode
  readonly onClick?: () => void
  readonly kind?: 'plain' | 'primary' | 'danger'
  readonly size?: 'normal' | 'small'
  readonly type?: 'button' | 'submit'
  readonly disabled?: boolean
  /** The shortcut of the button, shown in its tooltip. */
  readonly keys?: string
  readonly title?: string
}

const KINDS = {
  plain: 'border-line-strong bg-raised text-text hover:bg-hover',
  primary: 'border-accent bg-accent text-on-accent hover:opacity-90',
  danger: 'border-error bg-raised text-error hover:bg-error-panel',
} as const
const SIZES = { normal: 'px-3 py-1', small: 'px-2 py-px text-sm' } as const

export function Button(props: ButtonProps) {
  const { children, onClick, kind = 'plain', size = 'normal', type = 'button', disabled, keys, title } = props
  const hint = [title, keys && `(${keys})`].filter(Boolean).join(' ')
  return (
    <button
      type={type}
      disabled={disabled}
      onClick={onClick}
      data-tooltip={hint === '' ? undefined : hint}
      aria-description={title}
      aria-keyshortcuts={keys}
      className={`inline-flex items-center gap-1 whitespace-nowrap rounded-sm border font-medium disabled:opacity-50 ${KINDS[kind]} ${SIZES[size]}`}
    >
      {children}
    </button>
  )
}
