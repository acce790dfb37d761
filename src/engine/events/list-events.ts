import { idOfUser, userKey } from '../../contract/access/user-key.ts'
import { MAX_TAKERS } from '../../contract/endpoints/waiting.ts'
import type { ReceivedEvent } from '../../contract/endpoints/waiting.ts'
import { toIso } from '../../lib/clock.ts'
import type { EventStore } from '../../store/event-store.ts'
import { misfitsOf } from './event-starts.ts'
import { isUser, senderOf } from './senders.ts'

/**
 * The newest stored events. `owner`: the key of the user whose events they are, without the executions that took them;
 * null for those of senders who are not known. Undefined: all.
 */
export async function listEvents(
  events: EventStore,
  { limit, owner }: { readonly limit: number; readonly owner: string | null | undefined },
): Promise<ReceivedEvent[]> {
  const rows = await events.newest(limit, MAX_TAKERS)
  return rows.flatMap((row) => {
    const { id, name, key, data, at, takenBy } = row
    const sent = senderOf(row)
    const user = sent?.user
    const isOwn = sent && isUser(sent) && (user ? userKey(user) : null) === owner
    if (owner !== undefined && !isOwn) return []
    return {
      // without the hash of its sender
      id: id.split(' ')[0] ?? id,
      name,
      key,
      data: JSON.parse(data) as unknown,
      at: toIso(at),
      senderId: idOfUser(user) ?? null,
      takenBy: owner === undefined ? [...takenBy] : [],
      ...(owner === undefined && row.misfits !== null && { misfits: misfitsOf(row) }),
    }
  })
}
