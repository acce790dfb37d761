import { useEffect, useId, useState } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { useKeys } from '../../keys/use-keys.ts'
import { scrollFor } from './visible-range.ts'
import { useFollowEnd } from './use-follow-end.ts'
import { useVisibleRows } from './use-visible-rows.ts'

export interface Column<T> {
  readonly name: string
  /** A track of a CSS grid: `8rem`, `minmax(0, 1fr)`. */
  readonly width: string
  /** Shows the name to screen readers only. */
  readonly quiet?: boolean
  /** For numbers. */
  readonly align?: 'right'
  readonly cell: (row: T) => ReactNode
}

export interface DataTableProps<T> {
  readonly label: string
  readonly columns: readonly Column<T>[]
  /** Total number of rows; those out of view need not be loaded. */
  readonly count: number
  readonly row: (index: number) => T | undefined
  readonly rowKey: (row: T) => string
  /** Called on Enter and on click. */
  readonly open?: (row: T) => void
  /** Reports the rows in view, to be fetched. Must be stable. */
  readonly onVisible?: (first: number, last: number) => void
  /** Key of the selected row. */
  readonly chosenKey?: string
  /** Called for the key `x`: selects or deselects the row. */
  readonly toggle?: (row: T) => void
  /** Stays scrolled to the end when rows are appended. */
  readonly follow?: boolean
}

/** Pixels. */
export const ROW_HEIGHT = 28

/**
 * A virtual table: only the rows in view are in the DOM. `j`/`k` and the arrow keys move, Enter opens. It fills the
 * available height and scrolls.
 */
export function DataTable<T>(props: DataTableProps<T>) {
  const { label, columns, count, row, rowKey, open, onVisible, chosenKey, toggle, follow = false } = props
  const id = useId()
  const { ref, range } = useVisibleRows(ROW_HEIGHT, count)
  const [active, setActive] = useState(0)
  const { first, end } = range
  useFollowEnd(ref, { follow, count })
  useEffect(() => {
    if (end > first) onVisible?.(first, end - 1)
  }, [onVisible, first, end])
  const move = (to: number) => {
    const next = Math.max(0, Math.min(count - 1, to))
    setActive(next)
    const element = ref.current
    if (!element) return
    const view = { top: element.scrollTop, height: element.clientHeight - ROW_HEIGHT }
    const top = scrollFor(next, ROW_HEIGHT, view)
    if (top !== undefined) element.scrollTop = top
    element.focus({ preventScroll: true })
  }
  const withActive = (use: (item: T) => void) => {
    const item = row(active)
    if (item !== undefined) use(item)
  }
  const group = 'Lists'
  useKeys([
    {
      keys: 'j',
      label: 'Next row',
      group,
      run: () => move(document.activeElement === ref.current ? active + 1 : active),
    },
    { keys: 'k', label: 'Previous row', group, run: () => move(active - 1) },
    { keys: 'Enter', label: 'Open row', group, run: () => open && withActive(open) },
    ...(toggle ? [{ keys: 'x', label: 'Select row', group, run: () => withActive(toggle) }] : []),
  ])
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.floor((ref.current?.clientHeight ?? 0) / ROW_HEIGHT) - 2
    const to = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      Home: 0,
      End: count - 1,
      PageDown: active + page,
      PageUp: active - page,
    }[event.key]
    if (to === undefined) return
    event.preventDefault()
    move(to)
  }
  const template = { gridTemplateColumns: columns.map(({ width }) => width).join(' ') }
  const indexes = Array.from({ length: end - first }, (_, offset) => first + offset)
  return (
    <div
      ref={ref}
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      aria-colcount={columns.length}
      aria-activedescendant={active >= first && active < end ? `${id}-${active}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      className="group/table relative min-h-0 flex-1 overflow-auto outline-offset-[-2px]"
    >
      <div role="rowgroup" className="sticky top-0 z-1 border-b border-line bg-panel">
        <div
          role="row"
          aria-rowindex={1}
          style={template}
          className="grid h-7 items-center gap-x-4 px-4 text-sm text-dim"
        >
          {columns.map(({ name, align, quiet }) => (
            <div
              key={name}
              role="columnheader"
              className={`truncate ${align === 'right' ? 'text-right' : ''}`}
            >
              {quiet ? <span className="sr-only">{name}</span> : name}
            </div>
          ))}
        </div>
      </div>
      <div role="rowgroup" className="relative" style={{ height: count * ROW_HEIGHT }}>
        {indexes.map((index) => {
          const item = row(index)
          const key = item === undefined ? undefined : rowKey(item)
          return (
            <div
              key={key ?? index}
              id={`${id}-${index}`}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={key !== undefined && key === chosenKey}
              style={{ ...template, transform: `translateY(${index * ROW_HEIGHT}px)` }}
              className={`absolute inset-x-0 top-0 grid h-7 items-center gap-x-4 border-b border-line px-4 hover:bg-hover aria-selected:bg-chosen ${index === active ? 'group-focus-visible/table:bg-chosen' : ''} ${open ? 'cursor-pointer' : ''}`}
              onClick={(event) => {
                setActive(index)
                const inLink = event.target instanceof Element && event.target.closest('a, button, input')
                if (item !== undefined && !inLink && getSelection()?.isCollapsed !== false) open?.(item)
              }}
            >
              {columns.map(({ name, align, cell }) => (
                <div
                  key={name}
                  role="gridcell"
                  className={`truncate ${align === 'right' ? 'text-right' : ''}`}
                >
                  {item === undefined ? '' : cell(item)}
                </div>
              ))}
            </div>
          )
        })}
      </div>
    </div>
  )
}
