import { useState } from 'react'
import type { RefObject } from 'react'
import type { LogRecord } from '../../contract/endpoints/log.ts'
import { useHold } from '../ui/table/use-hold.ts'

export interface StillRecords {
  readonly records: readonly LogRecord[] | undefined
  /** Number of records that are held back. */
  readonly newCount: number
  /** Shows them. */
  readonly release: () => void
}

type Current = Pick<StillRecords, 'records'> & {
  /** Identifies what is listed: held records of another view are not shown. */
  readonly view: string
}

/** The records of a list, which keep their places while the pointer is over it or text is selected. */
export function useStillRecords(frame: RefObject<HTMLElement | null>, current: Current): StillRecords {
  const [held, setHeld] = useState<Current>()
  useHold(frame, (isHeld) => setHeld(isHeld ? current : undefined))
  const isHeld = held?.view === current.view && held.records !== undefined
  return {
    records: isHeld ? held.records : current.records,
    newCount: isHeld ? (current.records?.length ?? 0) - (held.records?.length ?? 0) : 0,
    release: () => setHeld(current),
  }
}
