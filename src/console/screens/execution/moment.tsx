import { useDeferredValue, useMemo, useState } from 'react'
import { Button } from '../../ui/controls/button.tsx'
import { durationText, exactTime } from '../../ui/time/format-time.ts'
import type { ExecutionDetail } from '../../../contract/endpoints/execution.ts'
import { useUrlState } from '../../router/use-url-state.ts'
import type { Scrubber } from '../../waterfall/axis.tsx'
import { eventTimes, recordAt } from './record-at.ts'

/** The earlier moment that the page shows, below everything that depends on it, so that nothing moves while it is dragged. */
export function MomentNote({ moment }: { readonly moment: Moment }) {
  const { at, text, set } = moment
  if (at === undefined) return null
  return (
    <div
      role="group"
      aria-label="Moment"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 sticky bottom-0 z-2 border-t border-line bg-chosen px-4 py-1 text-sm"
    >
      <span title={exactTime(at)}>{text}</span>
      <Button size="small" onClick={() => set(undefined)}>
        Show now
      </Button>
    </div>
  )
}

/** A moment of an execution. `at`: undefined for now. */
export interface Moment extends Scrubber {
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
  const set = (time: number | undefined) => {
    setDragged(undefined)
    setUrl({ at: time === undefined ? '' : String(Math.round(time) - start) })
  }
  return {
    at,
    start,
    end,
    record: shown,
    text: at === undefined ? 'now' : momentText(shown, at),
    step: (by) => {
      const current = times.findLastIndex((time) => time <= (at ?? end))
      const next = times[Math.max(0, Math.min(times.length - 1, current + by))]
      if (next !== undefined) set(next)
    },
    set,
    move: (time) => setDragged(Math.round(Math.max(start, Math.min(end, time)))),
    done: () => {
      if (dragged !== undefined) setUrl({ at: String(dragged - start) })
      setDragged(undefined)
    },
  }
}

/** The time after the start, and the event that was the last then. */
function momentText({ createdAt, events }: ExecutionDetail, at: number): string {
  const last = events.at(-1)
  const offset = `after ${durationText(at - Date.parse(createdAt))}`
  if (!last) return offset
  return `${offset}, ${last.type}${last.type.startsWith('step-') ? ` ${last.from}` : ''}`
}
