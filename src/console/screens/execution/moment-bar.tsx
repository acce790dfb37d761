import { useDeferredValue, useMemo, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { eventTime } from '../../../contract/fold-events.ts'
import { Button } from '../../ui/controls/button.tsx'
import { durationText, exactTime } from '../../ui/time/format-time.ts'
import type { ExecutionDetail } from '../../../contract/endpoints/execution.ts'
import { useUrlState } from '../../router/use-url-state.ts'
import type { Scrubber } from '../../waterfall/axis.tsx'
import { eventTimes, recordAt } from './record-at.ts'

const PAGE = 10

/** A slider over the time of an execution. Arrow keys go from event to event. */
export function MomentBar({ moment }: { readonly moment: Moment }) {
  const { at, times, start, end, record, move, done, set } = moment
  if (end <= start) return null
  const value = at ?? end
  const step = (by: number) => {
    const current = times.findLastIndex((time) => time <= value)
    const next = times[Math.max(0, Math.min(times.length - 1, current + by))]
    if (next !== undefined) set(next)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const run = {
      ArrowLeft: () => step(-1),
      ArrowDown: () => step(-1),
      ArrowRight: () => step(1),
      ArrowUp: () => step(1),
      PageDown: () => step(-PAGE),
      PageUp: () => step(PAGE),
      Home: () => set(start),
      End: () => set(undefined),
    }[event.key]
    if (!run) return
    event.preventDefault()
    run()
  }
  const last = record.events.at(-1)
  const eventText = last ? `${last.type}${last.type.startsWith('step-') ? ` ${last.from}` : ''}` : ''
  const offset = `after ${durationText(value - start)}`
  return (
    <div
      role="group"
      aria-label="Moment"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1 text-sm"
    >
      <input
        type="range"
        aria-label="Moment of the execution"
        aria-valuetext={at === undefined ? 'now' : `${offset}, ${eventText}`}
        min={start}
        max={end}
        value={value}
        onChange={(event) => move(Number(event.target.value))}
        onPointerUp={done}
        onBlur={done}
        onKeyDown={onKeyDown}
        className="h-6 min-w-32 flex-1 accent-(--color-accent)"
      />
      {at === undefined ? (
        <span className="text-dim">Drag to an earlier moment</span>
      ) : (
        <>
          <span title={exactTime(new Date(value).toISOString())}>{offset}</span>
          <span className="hidden max-w-64 truncate text-dim sm:inline">
            {last && eventTime(last) < value ? `since ${eventText}` : eventText}
          </span>
          <Button size="small" onClick={() => set(undefined)}>
            Show now
          </Button>
        </>
      )}
    </div>
  )
}

/** A moment of an execution. `at`: undefined for now. */
export interface Moment extends Scrubber {
  /** The times of the events. */
  readonly times: readonly number[]
  readonly start: number
  readonly end: number
  /** The execution as it was then. */
  readonly record: ExecutionDetail
}

const STATE = { at: '' }

/** The moment that the address holds, in milliseconds since the start of the execution. */
export function useMoment(record: ExecutionDetail): Moment {
  const [{ at: text }, setUrl] = useUrlState(STATE)
  // the address changes when the drag ends: browsers limit how often it may
  const [dragged, setDragged] = useState<number>()
  const start = Date.parse(record.createdAt)
  const times = useMemo(() => eventTimes(record), [record])
  const end = Math.max(start, times.at(-1) ?? start)
  const stored = /^\d{1,15}$/.test(text) ? Math.min(end, start + Number(text)) : undefined
  const at = dragged ?? stored
  const shownAt = useDeferredValue(at)
  const shown = useMemo(() => (shownAt === undefined ? record : recordAt(record, shownAt)), [record, shownAt])
  return {
    at,
    times,
    start,
    end,
    record: shown,
    move: (time) => setDragged(Math.round(Math.max(start, Math.min(end, time)))),
    done: () => {
      if (dragged !== undefined) setUrl({ at: String(dragged - start) })
      setDragged(undefined)
    },
    set: (time) => {
      setDragged(undefined)
      setUrl({ at: time === undefined ? '' : String(Math.round(time) - start) })
    },
  }
}
