import { admits } from '../../contract/access/callers.ts'
import type { CallerKind, Callers } from '../../contract/access/callers.ts'
import type { SentEventRow } from '../../store/event-store.ts'
import { isUser } from '../executions/deps.ts'
import type { EventSender } from '../executions/deps.ts'

/** Who sent an event; `undefined` for the project's code. */
export function senderOf({ sender }: Pick<SentEventRow, 'sender'>): EventSender | undefined {
  return sender === null ? undefined : (JSON.parse(sender) as EventSender)
}

/** Whether a sender may cause what is open to these callers; of users those whom the rules in force allow it. */
export async function mayCause(
  sender: EventSender | undefined,
  callers: Callers | undefined,
  allows: (sender: EventSender) => Promise<boolean>,
): Promise<boolean> {
  if (callers && !admits(callers, kindOf(sender))) return false
  return !sender || !isUser(sender) || allows(sender)
}

function kindOf(sender: EventSender | undefined): CallerKind {
  return sender ? (sender.by ?? 'user') : 'code'
}
