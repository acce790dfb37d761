import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import type { KeyboardEvent, MouseEvent, RefObject } from 'react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useKeys } from '../keys/use-keys.ts'
import { useEnteringRows } from '../ui/table/use-entering-rows.ts'
import { useHold } from '../ui/table/use-hold.ts'
import { useVisibleRows, scrollFor } from '../ui/table/use-visible-rows.ts'
import type { LogLine } from './log-lines.ts'
import { LOG_ROW, LogRow } from './log-row.tsx'
import type { LogTail, LogView } from './log-tail.ts'
import { NewRecordsButton } from './log-toolbar.tsx'

export interface LogListProps {
  readonly label: string
  readonly tail: LogTail
  readonly view: LogView
  /** Id of the selected record. */
  readonly chosen: string
  readonly choose: (id: string) => void
  /** Lines wrap. Constant while the list is mounted. */
  readonly wraps: boolean
}

/** Distance from the end, in pixels, that counts as at the end. */
const TOLERANCE = 12
/** Distance from the top, in rows, at which older records are fetched. */
const AHEAD = 60

/**
 * The lines of the log, of which only those in view are in the DOM. The list follows the newest line until the user
 * scrolls up, points at it or selects text; then the lines in view do not move.
 */
export function LogList({ label, tail, view, chosen, choose, wraps }: LogListProps) {
  const id = useId()
  const { shift, newCount, paused, hasOlder } = view
  const lines = view.lines ?? []
  const count = lines.length
  const [following, setFollowing] = useState(chosen === '')
  const { ref, rows, height, measure, reveal } = useLogRows({ lines, wraps, following })
  useEnteringRows({ prefix: id, count, keyAt: (index) => lines[index]?.record.id, atEnd: true })
  const lastTop = useRef(0)
  const [active, setActive] = useState(-1)
  const seenShift = useRef(shift)
  const follow = (next: boolean) => {
    setFollowing(next)
    tail.follow(next)
  }
  useLayoutEffect(() => {
    const element = ref.current
    const moved = shift - seenShift.current
    seenShift.current = shift
    if (!element) return
    if (following) element.scrollTop = element.scrollHeight
    else if (moved !== 0 && !wraps) element.scrollTop += moved * LOG_ROW
  }, [ref, lines, shift, following, wraps, height])
  useEffect(() => tail.follow(following), [tail, following])
  const frame = useRef<HTMLDivElement>(null)
  useHold(frame, (still) => tail.hold(still))
  const at = chosen === '' ? -1 : lines.findIndex(({ record }) => record.id === chosen)
  const isFound = at >= 0
  // scrolls to the record of the URL when the page opens
  useLayoutEffect(() => {
    if (at >= 0) reveal(at)
  }, [isFound])
  const first = rows[0]?.index ?? 0
  useEffect(() => {
    if (hasOlder && first < AHEAD && count > 0 && !following) void tail.loadOlder()
  }, [tail, hasOlder, first, count, following])
  const current = at >= 0 ? at : active
  const move = (to: number) => {
    const index = Math.max(0, Math.min(count - 1, to))
    const line = lines[index]
    if (!line) return
    if (index < count - 1) follow(false)
    setActive(index)
    reveal(index)
    if (chosen !== '') choose(line.record.id)
    ref.current?.focus({ preventScroll: true })
  }
  const start = current === -1 ? count : current
  useKeys([
    { keys: 'j', label: 'Next line', group: 'Lists', run: () => move(start + 1) },
    { keys: 'k', label: 'Previous line', group: 'Lists', run: () => move(start - 1) },
    { keys: 'Enter', label: 'Open line', group: 'Lists', run: () => open(current) },
  ])
  const open = (index: number) => {
    const line = lines[index]
    if (line) choose(line.record.id)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const page = Math.floor((ref.current?.clientHeight ?? 0) / LOG_ROW) - 1
    const to = {
      ArrowDown: start + 1,
      ArrowUp: start - 1,
      Home: 0,
      End: count - 1,
      PageDown: start + page,
      PageUp: start - page,
    }[event.key]
    if (to === undefined) return
    event.preventDefault()
    if (event.key === 'End') follow(true)
    move(to)
  }
  const onScroll = () => {
    const element = ref.current
    if (!element) return
    const { scrollTop } = element
    const atEnd = scrollTop + element.clientHeight >= element.scrollHeight - TOLERANCE
    // a line that was measured meanwhile is not scrolled away from
    const hasGrown = wraps && scrollTop >= lastTop.current
    lastTop.current = scrollTop
    if (atEnd !== following && (atEnd || !hasGrown)) follow(atEnd)
  }
  const onClick = ({ target }: MouseEvent) => {
    const row = target instanceof Element ? target.closest('[data-log]') : null
    const record = row?.getAttribute('data-log')
    if (!record || getSelection()?.isCollapsed === false) return
    follow(false)
    setActive(lines.findIndex((line) => line.record.id === record))
    choose(record)
  }
  const isQuiet = useIsQuiet(count + shift)
  const isRendered = rows.some(({ index }) => index === current)
  const isAtLast = rows.at(-1)?.index === count - 1
  return (
    <div
      ref={frame}
      role="log"
      aria-label={label}
      aria-live={following && isQuiet && !paused ? 'polite' : 'off'}
      className="relative flex min-h-0 flex-1 flex-col"
    >
      <div
        ref={ref}
        role="listbox"
        aria-label={label}
        aria-activedescendant={isRendered ? `${id}-${current}` : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onScroll={onScroll}
        onWheel={({ deltaY }) => {
          // stops following before the next line scrolls back to the end
          if (deltaY < 0 && following && (ref.current?.scrollTop ?? 0) > 0) follow(false)
        }}
        onClick={onClick}
        className="group/log min-h-0 flex-1 overflow-y-auto overflow-x-hidden outline-offset-[-2px]"
      >
        <div role="none" className="relative" style={{ height }}>
          {rows.map(({ index, key, top }) => {
            const line = lines[index]
            return (
              line && (
                <LogRow
                  key={key}
                  id={`${id}-${index}`}
                  line={line}
                  index={index}
                  top={top}
                  measure={measure}
                  isChosen={line.record.id === chosen}
                  isActive={index === current}
                />
              )
            )
          })}
        </div>
      </div>
      {(following ? newCount > 0 && !paused : newCount > 0 || !isAtLast) && (
        <NewRecordsButton
          count={paused ? 0 : newCount}
          onClick={() => (following ? tail.release() : follow(true))}
        />
      )}
    </div>
  )
}

/** A rendered row. */
interface VisibleLogRow {
  readonly index: number
  readonly key: string | number
  /** Pixels from the top of the list. */
  readonly top: number
}

interface LogRows {
  /** Of the scrolling element. */
  readonly ref: RefObject<HTMLDivElement | null>
  readonly rows: readonly VisibleLogRow[]
  /** Height of all rows in pixels. */
  readonly height: number
  /** Of each row element, when its height is to be measured. */
  readonly measure: ((element: HTMLElement | null) => void) | undefined
  readonly reveal: (index: number) => void
}

interface LogRowsOptions {
  readonly lines: readonly LogLine[]
  /** Lines wrap, and have different heights. */
  readonly wraps: boolean
  readonly following: boolean
}

/** The rows of the log in view. Rows of one height need no measuring, which is faster at 1,000 lines per second. */
function useLogRows({ lines, wraps, following }: LogRowsOptions): LogRows {
  const { length: count } = lines
  const { ref, range } = useVisibleRows(LOG_ROW, wraps ? 0 : count)
  const virtualizer = useVirtualizer({
    enabled: wraps,
    count: wraps ? count : 0,
    getScrollElement: () => ref.current,
    estimateSize: () => LOG_ROW,
    getItemKey: (index) => lines[index]?.record.id ?? index,
    overscan: 8,
    // lines in view keep their place when older ones are added or removed
    anchorTo: 'end',
    useFlushSync: false,
  })
  if (wraps)
    return {
      ref,
      rows: virtualizer
        .getVirtualItems()
        .map(({ index, key, start }) => ({ index, key: String(key), top: start })),
      height: virtualizer.getTotalSize(),
      measure: virtualizer.measureElement,
      reveal: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
    }
  // at the end, the rows in view are known before the browser has scrolled
  const inView = Math.ceil((ref.current?.clientHeight ?? 1000) / LOG_ROW)
  const { first, end } = following ? { first: Math.max(0, count - inView - 8), end: count } : range
  return {
    ref,
    rows: Array.from({ length: end - first }, (_, offset) => ({
      index: first + offset,
      // elements are reused for other lines, which is faster than creating new ones
      key: (first + offset) % (end - first),
      top: (first + offset) * LOG_ROW,
    })),
    height: count * LOG_ROW,
    measure: undefined,
    reveal: (index) => {
      const element = ref.current
      if (!element) return
      const top = scrollFor(index, LOG_ROW, { top: element.scrollTop, height: element.clientHeight })
      if (top !== undefined) element.scrollTop = top
    },
  }
}

/** Interval in which few lines may be added for the log to be announced. */
const QUIET_MS = 2000

/** Whether few lines are added: only then does the log announce them to screen readers. */
function useIsQuiet(count: number): boolean {
  const [quiet, setQuiet] = useState(count)
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(count), QUIET_MS)
    return () => clearTimeout(timer)
  }, [count])
  return count - quiet < 5
}
