import { createHash } from 'node:crypto'
import { isId } from '../../lib/ids.ts'

/** The id of the execution of a workflow that an event starts: the same each time. */
export function startedIdOf(workflowId: string, eventId: string): string {
  const id = `code:${workflowId}:${eventId.replace(' ', ':')}`
  return isId(id) ? id : `code:${createHash('sha256').update(id).digest('base64url')}`
}
