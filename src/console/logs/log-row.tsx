import { memo } from 'react'
import { exactTime } from '../ui/time/format-time.ts'
import { LogLevelMark } from '../ui/state/log-level-mark.tsx'
import { oneLine } from '../ui/escape-hidden.ts'
import type { LogLine } from './log-lines.ts'

export const LOG_ROW = 22
/** Characters of a message shown in the list. */
const MAX_LENGTH = 500

export interface LogRowProps {
  readonly id: string
  readonly line: LogLine
  readonly index: number
  readonly isChosen: boolean
  readonly isActive: boolean
}

/** One line of the log. Not rendered again while lines are added. */
export const LogRow = memo(function LogRow({ id, line, index, isChosen, isActive }: LogRowProps) {
  const { record, count, last } = line
  const time = exactTime(last.timestamp)
  return (
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      data-log={record.id}
      style={{ transform: `translateY(${index * LOG_ROW}px)` }}
      className={`absolute inset-x-0 top-0 grid h-[22px] cursor-pointer [contain:strict] grid-cols-[6.5rem_3rem_minmax(0,1fr)_auto] items-center gap-x-3 px-4 font-mono text-sm hover:bg-hover aria-selected:bg-chosen ${isActive ? 'group-focus-visible/log:bg-hover' : ''}`}
    >
      <span className="text-dim" title={time}>
        {time.slice(11)}
      </span>
      <LogLevelMark level={record.level} />
      <span className="truncate">
        {count > 1 && <span className="mr-2 rounded-sm bg-chosen px-1 text-text">×{count}</span>}
        {oneLine(record.message, MAX_LENGTH)}
      </span>
      <span className="max-w-56 truncate text-dim">{sourceOf(line)}</span>
    </div>
  )
})

/** The agent, workflow, step and tool that logged the record. */
function sourceOf({ record: { attributes } }: LogLine): string {
  const { workflowId, stepId, agentId, toolName } = attributes
  const names = [agentId, workflowId, stepId, toolName].filter((name) => typeof name === 'string')
  return names.join(' › ')
}
