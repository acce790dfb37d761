import { useEffect, useId, useLayoutEffect, useRef } from 'react'
import type { KeyboardEvent, RefObject } from 'react'
import { useKeys } from '../../keys/use-keys.ts'
import { useKeptState } from '../../router/use-kept-state.ts'
import { NARROW, ROOMY, useMedia } from '../layout/use-media.ts'
import { rowLayout } from './row-layout.ts'
import type { Column } from './row-layout.ts'
import { HeaderRow, TableRow } from './table-row.tsx'
import { useEnteringRows } from './use-entering-rows.ts'
import { useVisibleRows, scrollFor } from './use-visible-rows.ts'

export type { Column }

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
  /** Takes the height of all rows, instead of filling the available height. */
  readonly fit?: boolean
}

/**
 * A virtual table: only the rows in view are in the DOM. `j`/`k` and the arrow keys move, Enter opens. It fills the
 * available height and scrolls. In narrow windows it is a list: each row shows its cells below each other.
 */
export function DataTable<T>(props: DataTableProps<T>) {
  const {
    label,
    columns,
    count,
    row,
    rowKey,
    open,
    onVisible,
    chosenKey,
    toggle,
    follow = false,
    fit = false,
  } = props
  const id = useId()
  const layout = rowLayout(columns, useMedia(NARROW), useMedia(ROOMY))
  const { height } = layout
  const { ref, range } = useVisibleRows(height, count)
  const [active, setActive] = useKeptState(`row of ${label}`, 0)
  const { first, end } = range
  useFollowEnd(ref, { follow, count })
  const keyAt = (index: number) => {
    const item = row(index)
    return item === undefined ? undefined : rowKey(item)
  }
  useEnteringRows({ prefix: id, count, keyAt, atEnd: follow })
  useEffect(() => {
    if (end > first) onVisible?.(first, end - 1)
  }, [onVisible, first, end])
  const move = (to: number) => {
    const next = Math.max(0, Math.min(count - 1, to))
    setActive(next)
    const element = ref.current
    if (!element) return
    const view = { top: element.scrollTop, height: element.clientHeight - layout.headerHeight }
    const top = scrollFor(next, height, view)
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
    const page = Math.floor((ref.current?.clientHeight ?? 0) / height) - 2
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
      className={`group/table relative overflow-auto outline-offset-[-2px] ${fit ? 'shrink-0' : 'min-h-0 flex-1'}`}
    >
      <HeaderRow layout={layout} />
      <div role="rowgroup" className="relative" style={{ height: count * height }}>
        {indexes.map((index) => {
          const item = row(index)
          const key = item === undefined ? undefined : rowKey(item)
          return (
            <TableRow
              key={key ?? index}
              id={`${id}-${index}`}
              layout={layout}
              index={index}
              item={item}
              isChosen={key !== undefined && key === chosenKey}
              isActive={index === active}
              select={setActive}
              open={open}
            />
          )
        })}
      </div>
    </div>
  )
}

/** Distance from the end, in pixels, that counts as at the end. */
const TOLERANCE = 40

/** Keeps a growing list scrolled to its end, if it was there before. */
function useFollowEnd(
  ref: RefObject<HTMLElement | null>,
  { follow, count }: { readonly follow: boolean; readonly count: number },
): void {
  const atEnd = useRef(false)
  // the end at the last scroll: rows added since do not count as scrolled away
  const end = useRef(Infinity)
  useEffect(() => {
    const element = ref.current
    if (!element || !follow) return undefined
    const update = () => {
      const known = Math.min(end.current, element.scrollHeight)
      atEnd.current = element.scrollTop + element.clientHeight >= known - TOLERANCE
    }
    update()
    element.addEventListener('scroll', update, { passive: true })
    return () => element.removeEventListener('scroll', update)
  }, [ref, follow])
  useLayoutEffect(() => {
    const element = ref.current
    if (!element || !follow || !atEnd.current) return
    element.scrollTo({ top: element.scrollHeight })
    end.current = element.scrollHeight
  }, [ref, follow, count])
}
