import type { Store } from '../../../src/store/store.ts'
import { turns } from '../../support/turns.ts'

const MAX_TURNS = 6

/** A store that answers as late as a database over a network: each call takes some turns of the event loop. */
export function slowStore(store: Store): Store {
  const rooms = ['executions', 'agentRuns', 'conversations'] as const
  const slow = Object.fromEntries(rooms.map((room) => [room, delayed(store[room])]))
  return new Proxy(store, {
    get: (_, key) => slow[key as string] ?? Reflect.get(store, key),
  })
}

function delayed<Room extends object>(room: Room): Room {
  return new Proxy(room, {
    get: (_, key) => {
      const call = Reflect.get(room, key) as (...values: unknown[]) => unknown
      return async (...values: unknown[]) => {
        await someTurns()
        const answer = await call.apply(room, values)
        await someTurns()
        return answer
      }
    },
  })
}

function someTurns(): Promise<void> {
  return turns(Math.floor(Math.random() * MAX_TURNS))
}
