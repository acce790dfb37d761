import type { ReactNode } from 'react'
import { Icon } from '../icon.tsx'
import { useServices } from '../../services/services-context.tsx'
import type { Toasts } from '../dialog/toasts.ts'

export interface ButtonProps {
  readonly children: ReactNode
  readonly onClick?: () => void
  readonly kind?: 'plain' | 'primary' | 'danger'
  /** `touch`: the usual size, in narrow windows as large as a finger needs, and side by side. */
  readonly size?: 'normal' | 'small' | 'touch'
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
const SIZES = {
  normal: 'px-3 py-1',
  small: 'px-2 py-px text-sm',
  touch: 'px-3 py-1 max-sm:min-h-11 max-sm:flex-1 max-sm:justify-center',
} as const

function classesOf({
  kind = 'plain',
  size = 'normal',
}: {
  readonly kind: ButtonProps['kind'] | undefined
  readonly size: ButtonProps['size'] | undefined
}): string {
  return `inline-flex items-center gap-1 whitespace-nowrap rounded-sm border font-medium disabled:opacity-50 ${KINDS[kind]} ${SIZES[size]}`
}

export function Button(props: ButtonProps) {
  const { children, onClick, kind, size, type = 'button', disabled, keys, title } = props
  const hint = [title, keys && `(${keys})`].filter(Boolean).join(' ')
  return (
    <button
      type={type}
      disabled={disabled}
      onClick={onClick}
      data-tooltip={hint === '' ? undefined : hint}
      aria-description={title}
      aria-keyshortcuts={keys}
      className={classesOf({ kind, size })}
    >
      {children}
    </button>
  )
}

/** A link to another site in a new tab, which looks like a button. */
export function ButtonLink({
  href,
  children,
  ...look
}: Pick<ButtonProps, 'children' | 'kind' | 'size'> & { readonly href: string }) {
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      className={classesOf({ kind: look.kind, size: look.size })}
    >
      {children}
    </a>
  )
}

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

/** An icon button to close or remove something, named by `label`. */
export function CloseButton({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <IconButton label={label} onClick={onClick}>
      <Icon name="close" />
    </IconButton>
  )
}

export interface CopyButtonProps {
  readonly text: string | (() => string)
  readonly label?: string
}

/** Copies a text to the clipboard. */
export function CopyButton({ text, label = 'Copy' }: CopyButtonProps) {
  const { toasts } = useServices()
  return (
    <IconButton label={label} onClick={() => void copyText(typeof text === 'string' ? text : text(), toasts)}>
      <Icon name="copy" />
    </IconButton>
  )
}

/** Copies a text to the clipboard and shows a toast. */
export async function copyText(text: string, toasts: Toasts): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toasts.info('Copied to clipboard')
  } catch {
    // browsers allow the clipboard only on localhost and https
    toasts.error('The browser denied access to the clipboard')
  }
}
