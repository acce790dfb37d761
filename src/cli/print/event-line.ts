import { statusWord } from '../../contract/status/status-word.ts'
import stringWidth from 'string-width'
import type { ExecutionEvent } from '../../contract/event.ts'
import { duration } from './duration.ts'
import { fit } from './table.ts'
import { oneLine } from './terminal.ts'
import type { Terminal } from './terminal.ts'

/** Formats an event as one line: time, type, step and details. */
export function eventLine(event: ExecutionEvent, { paint, width }: Terminal): string {
  const time = new Date(event.timestamp).toTimeString().slice(0, 8)
  const step = 'from' in event ? event.from : 'agentId' in event ? event.stepId : ''
  const room = Math.max(0, width - [time, event.type, step].join(' ').length - 2)
  const text = oneLine(detailOf(event))
  const detail = stringWidth(text) > room ? fit(text, room + 1) : text
  const parts = [
    paint.dim(time),
    paintType(event.type, paint),
    ...(step === '' ? [] : [paint.bold(step)]),
    ...(detail === '' ? [] : [paint.dim(detail)]),
  ]
  return parts.join(' ')
}

function paintType(type: ExecutionEvent['type'], paint: Terminal['paint']): string {
  if (type === 'workflow-error' || type === 'step-error') return paint.red(type)
  if (type === 'workflow-suspended' || type === 'workflow-cancelled' || type === 'workflow-compensating')
    return paint.yellow(type)
  return type === 'step-complete' || type === 'workflow-complete' ? paint.green(type) : type
}

/** Why steps are compensated. */
export const CAUSES = { error: 'its error', timeout: 'its timeout', cancelled: 'its cancel' } as const

function detailOf(event: ExecutionEvent): string {
  switch (event.type) {
    case 'workflow-start':
      return JSON.stringify(event.input)
    case 'step-start':
      return event.attempt > 1 ? `attempt ${event.attempt}` : ''
    case 'step-complete':
      return `${duration(event.durationMs)} ${JSON.stringify(event.output) ?? ''}`
    case 'step-error':
      return `${event.error.message}${event.willRetry ? ' (retrying)' : ''}`
    case 'step-skipped':
      return ''
    case 'custom':
      return `${event.name} ${JSON.stringify(event.data) ?? ''}`
    case 'agent-delta':
      return event.text
    case 'agent-tool-call':
      return `${event.agentId} ${event.toolName} ${JSON.stringify(event.input) ?? ''}`
    case 'agent-tool-result':
      return `${event.agentId} ${event.toolName} ${event.error ?? JSON.stringify(event.output) ?? ''}`
    case 'agent-data':
      return `${event.agentId} ${event.toolName} ${event.name} ${JSON.stringify(event.data) ?? ''}`
    case 'workflow-queued':
      return `waits for ${event.reason}`
    case 'workflow-suspended':
    case 'workflow-cancelled':
      return event.reason
    case 'workflow-compensating':
      return `because of ${CAUSES[event.reason]}`
    case 'workflow-resumed':
      return `at ${event.stepId}`
    case 'workflow-complete':
      return JSON.stringify(event.output) ?? ''
    case 'workflow-error':
      return event.error.message
    case 'workflow-result':
      return statusWord(event.status)
  }
}
