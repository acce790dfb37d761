import { useDeferredValue, useMemo, useState } from 'react'
import type { ExecutionDetail } from '../../../contract/endpoints/execution.ts'
import { useUrlState } from '../../router/use-url-state.ts'
import type { Scrubber } from '../../waterfall/scrubber.ts'
import { eventTimes, recordAt } from './record-at.ts'

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
