import type { ExecutionEvent, RecordedEvent } from '../../contract/event.ts'

/** What an event says of its subject's state, by its type, as a record has it. */
const STATUS: Readonly<Record<string, string>> = {
  'workflow-start': 'running',
  'workflow-resumed': 'running',
  'workflow-suspended': 'suspended',
  'workflow-error': 'error',
  'workflow-cancelled': 'cancelled',
  'step-start': 'running',
  'step-error': 'error',
  'step-skipped': 'skipped',
}

/** An event that was just sent, as the record of its execution will show it. */
export function recordedEvent(event: ExecutionEvent, seq: number, workflowName: string): RecordedEvent {
  const { type, timestamp, executionId: _, ...rest } = event
  const from = 'from' in event ? event.from : workflowName
  const status = STATUS[type] ?? ('status' in event ? event.status : 'success')
  const took = 'durationMs' in event ? event.durationMs : 0
  return {
    ...rest,
    id: String(seq),
    type,
    from,
    name: 'name' in event ? event.name : from,
    startTime: took === 0 ? timestamp : new Date(Date.parse(timestamp) - took).toISOString(),
    ...(status !== 'running' && { endTime: timestamp }),
    status,
  }
}

/** When a recorded event happened, in milliseconds. */
export function timeOf({ startTime, endTime }: RecordedEvent): number {
  return Date.parse(endTime ?? startTime)
}
