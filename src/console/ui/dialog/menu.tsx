import { useId, useRef } from 'react'
import type { KeyboardEvent } from 'react'
import { Icon } from '../icon.tsx'

export interface MenuItem {
  readonly name: string
  readonly run: () => void
  readonly disabled?: boolean
}

export interface MenuProps {
  readonly label: string
  readonly items: readonly MenuItem[]
}

/** A button that opens a list of actions in a native popover. */
export function Menu({ label, items }: MenuProps) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const place = () => {
    const { bottom = 0, right = 0 } = button.current?.getBoundingClientRect() ?? {}
    const { style } = list.current ?? {}
    if (!style) return
    style.top = `${bottom + 2}px`
    style.right = `${document.documentElement.clientWidth - right}px`
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const all = [...(list.current?.querySelectorAll<HTMLElement>('button:not(:disabled)') ?? [])]
    const at = all.indexOf(document.activeElement as HTMLElement)
    all[(at + step + all.length) % all.length]?.focus()
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        popoverTarget={id}
        aria-haspopup="menu"
        className="inline-flex items-center gap-1 rounded-sm border border-line-strong bg-raised px-3 py-1 font-medium hover:bg-hover"
      >
        {label} <Icon name="down" />
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        onBeforeToggle={place}
        onToggle={(event) => {
          if (event.newState === 'open') list.current?.querySelector<HTMLElement>('button')?.focus()
        }}
        onKeyDown={onKeyDown}
        className="fixed min-w-40 rounded-md border border-line-strong bg-raised p-1 shadow-float"
      >
        {items.map(({ name, run, disabled }) => (
          <button
            key={name}
            type="button"
            role="menuitem"
            disabled={disabled}
            className="block w-full rounded-sm px-2 py-1 text-left hover:bg-hover focus-visible:bg-hover disabled:opacity-50"
            onClick={() => {
              list.current?.hidePopover()
              run()
            }}
          >
            {name}
          </button>
        ))}
      </div>
    </>
  )
}
