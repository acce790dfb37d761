import type { Pin } from '../../contract/endpoints/project/pins.ts'
import { oneLine } from './terminal.ts'
import type { Terminal } from './terminal.ts'

/** The outcome of a pinned execution that has run again: `↻ order 0190c2f0-…: completed`. */
export function replayedLine(
  { workflowId, executionId, status, problem, error }: Pin,
  { notePaint: paint }: Pick<Terminal, 'notePaint'>,
): string {
  const subject = `↻ ${workflowId} ${executionId}`
  const message = problem ?? error?.message
  if (message !== undefined) return `${subject}: ${paint.red('failed')}: ${oneLine(message)}`
  const isDone = status === 'completed'
  return `${subject}: ${isDone ? paint.green(status) : paint.yellow(status)}`
}
