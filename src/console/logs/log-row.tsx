import { memo } from 'react'
import { exactTime } from '../ui/time/format-time.ts'
import { LogLevelMark } from '../ui/state/status-badge.tsx'
import type { LogLine } from './log-lines.ts'
import { LogText } from './log-text.tsx'

export const LOG_ROW = 22

export interface LogRowProps {
  readonly id: string
  readonly line: LogLine
  readonly index: number
  /** Pixels from the top of the list. */
  readonly top: number
  /** Measures the element of a line that wraps; undefined for lines of one height. */
  readonly measure: ((element: HTMLElement | null) => void) | undefined
  readonly isChosen: boolean
  readonly isActive: boolean
}

/** One line of the log. Not rendered again while lines are added. */
export const LogRow = memo(function LogRow(props: LogRowProps) {
  const { id, line, index, top, measure, isChosen, isActive } = props
  const { record, count, last } = line
  const time = exactTime(last.timestamp)
  return (
    <div
      ref={measure}
      id={id}
      data-index={index}
      role="option"
      aria-selected={isChosen}
      data-log={record.id}
      style={{ transform: `translateY(${top}px)` }}
      className={`absolute inset-x-0 top-0 grid cursor-pointer grid-cols-[6.5rem_3rem_minmax(0,1fr)] gap-x-3 max-sm:grid-cols-[3.7rem_2.5rem_minmax(0,1fr)] max-sm:gap-x-2 ${measure ? 'min-h-[22px] items-start py-[3px]' : 'h-[22px] items-center [contain:strict]'} px-4 font-mono text-sm hover:bg-hover aria-selected:bg-chosen ${isActive ? 'group-focus-visible/log:bg-hover' : ''}`}
    >
      <span className="overflow-hidden text-dim" title={time}>
        {time.slice(11)}
      </span>
      <LogLevelMark level={record.level} />
      <span className={measure ? 'whitespace-pre-wrap break-words' : 'truncate'}>
        {count > 1 && <span className="mr-2 rounded-sm bg-chosen px-1 text-text">×{count}</span>}
        <LogText record={record} wraps={measure !== undefined} />
      </span>
    </div>
  )
})
