import { useState } from 'react'
import type { KeyboardEvent } from 'react'
import { Icon } from '../ui/icon.tsx'
import { escapeBidi } from '../ui/escape-text.ts'

/** Moves the focus within a tree by the keys of the ARIA tree pattern. Returns whether the key is one of them. */
export function moveInTree(item: HTMLElement, key: string): boolean {
  const tree = item.closest('[role="tree"]')
  const items = [...(tree?.querySelectorAll<HTMLElement>('[role="treeitem"]') ?? [])]
  const at = items.indexOf(item)
  const to = {
    ArrowDown: items[at + 1],
    ArrowUp: items[at - 1],
    Home: items[0],
    End: items.at(-1),
    ArrowRight: items[at + 1],
    ArrowLeft: item.parentElement?.closest<HTMLElement>('[role="treeitem"]'),
  }
  if (!Object.hasOwn(to, key)) return false
  const next = to[key as keyof typeof to]
  if (!next) return true
  for (const one of items) one.tabIndex = one === next ? 0 : -1
  next.focus()
  return true
}

interface JsonNodeProps {
  readonly name?: string
  readonly value: unknown
  /** Number of levels expanded at first. */
  readonly open: number
  /** The tab stop of the tree. */
  readonly first?: boolean
}

/** Number of members shown at first. */
const STEP = 100

/** One value of the tree, with its members. */
export function JsonNode({ name, value, open, first = false }: JsonNodeProps) {
  const members = membersOf(value)
  const [isOpen, setOpen] = useState(open > 0)
  const [shown, setShown] = useState(STEP)
  const onKeyDown = (event: KeyboardEvent<HTMLLIElement>) => {
    if (event.target !== event.currentTarget) return
    const isExpandable = members !== undefined && members.length > 0
    if (isExpandable && event.key === 'ArrowRight' && !isOpen) setOpen(true)
    else if (isExpandable && event.key === 'ArrowLeft' && isOpen) setOpen(false)
    else if (isExpandable && (event.key === 'Enter' || event.key === ' ')) setOpen(!isOpen)
    else if (!moveInTree(event.currentTarget, event.key)) return
    event.preventDefault()
    event.stopPropagation()
  }
  const label = name === undefined ? null : <span className="break-all text-dim">{escapeBidi(name)}: </span>
  if (members === undefined || members.length === 0)
    return (
      <li
        role="treeitem"
        aria-selected="false"
        tabIndex={first ? 0 : -1}
        onKeyDown={onKeyDown}
        className="pl-4"
      >
        {label}
        {members === undefined ? <JsonScalar value={value} /> : brackets(value)}
      </li>
    )
  const rest = members.length - shown
  return (
    <li
      role="treeitem"
      aria-selected="false"
      aria-expanded={isOpen}
      tabIndex={first ? 0 : -1}
      onKeyDown={onKeyDown}
    >
      <span className="cursor-pointer" onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'down' : 'right'} className="mr-0.5 inline text-dim" />
        {label}
        <span className="text-dim">
          {isOpen ? brackets(value).charAt(0) : summaryOf(value, members.length)}
        </span>
      </span>
      {isOpen && (
        <ul role="group" className="ml-1.5 border-l border-line pl-2">
          {members.slice(0, shown).map(([key, member]) => (
            <JsonNode key={key} name={key} value={member} open={open - 1} />
          ))}
          {rest > 0 && (
            <li role="none" className="pl-4">
              <button
                type="button"
                className="min-h-6 text-accent hover:underline"
                onClick={() => setShown(shown + STEP * 5)}
              >
                Show {rest} more
              </button>
            </li>
          )}
        </ul>
      )}
    </li>
  )
}

function membersOf(value: unknown): [string, unknown][] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value)
}

function brackets(value: unknown): string {
  return Array.isArray(value) ? '[]' : '{}'
}

function summaryOf(value: unknown, count: number): string {
  return Array.isArray(value) ? `[${count}]` : `{${count}}`
}

const MAX_LENGTH = 500

/** Characters that each click shows more of: the layout of a text of megabytes would block the page. */
const TEXT_STEP = 100_000

/** A value without members. Long texts are truncated, with a button for the rest. */
function JsonScalar({ value }: { readonly value: unknown }) {
  const [shown, setShown] = useState(MAX_LENGTH)
  if (typeof value !== 'string') return <span className="text-running">{JSON.stringify(value)}</span>
  const rest = value.length - shown
  return (
    <span className="whitespace-pre-wrap break-words text-ok">
      {quote(rest > 0 ? value.slice(0, shown) : value)}
      {rest > 0 && (
        <button
          type="button"
          className="ml-1 text-accent hover:underline"
          onClick={() => setShown(shown + TEXT_STEP)}
        >
          Show {Math.min(rest, TEXT_STEP)} more characters{rest > TEXT_STEP && ` of ${rest}`}
        </button>
      )}
    </span>
  )
}

function quote(text: string): string {
  return escapeBidi(JSON.stringify(text))
}
