import { admits } from '../../contract/access/callers.ts'
import type { CallerKind, Callers } from '../../contract/access/callers.ts'
import type { User } from '../../contract/auth.ts'
import type { SentEventRow } from '../../store/event-store.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'

/** Who sent an event in a request: a user, nobody who is known, or an operator. The project's code has none. */
export interface EventSender {
  readonly user?: User | undefined
  readonly by?: 'operator' | undefined
}

/** Whether the access rules for users apply to a sender: also to a user who is an operator. */
export function isUser({ user, by }: EventSender): boolean {
  return by === undefined || user !== undefined
}

export type Receiver = Pick<ExecutionRow, 'id' | 'owner' | 'workflowId'>

/** Whether an event of a sender may resume or cancel an execution. */
export type MayReceive = (
  sender: EventSender,
  execution: Receiver,
  effect: 'resume' | 'cancel',
) => Promise<boolean>

/** Whether an event of a sender may start a workflow. */
export type MayStart = (sender: EventSender, workflowId: string) => Promise<boolean>

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
