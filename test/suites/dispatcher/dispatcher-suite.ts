import { afterEach, describe } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import { doingTests } from './doing-tests.ts'
import { machineTests } from './machine-tests.ts'
import { storingTests } from './storing-tests.ts'

export interface DispatcherBackend {
  /** Opens the database of that name as the next process does, or creates it empty. */
  open(database: string): Promise<Store>
}

/** Opens stores for a test, and closes them after it. */
export interface Dispatchers {
  /** The store of a new, empty database. */
  open(): Promise<Store>
  /** Closes a store, and opens its database again. */
  reopen(store: Store): Promise<Store>
}

/** Tests of the dispatcher of a store. */
export function dispatcherSuite(name: string, backend: DispatcherBackend): void {
  // oxlint-disable-next-line vitest/valid-title -- the caller names it
  describe(name, () => {
    const opened = new Map<Store, string>()
    let databases = 0
    const open = async (database: string) => {
      const store = await backend.open(database)
      opened.set(store, database)
      return store
    }
    const close = async (store: Store) => {
      opened.delete(store)
      await store.dispatcher.stop()
      await store.close()
    }
    afterEach(async () => {
      for (const store of opened.keys()) await close(store)
    })
    const dispatchers: Dispatchers = {
      open: () => open(`d${++databases}`),
      reopen: async (store) => {
        const database = opened.get(store) ?? ''
        await close(store)
        return open(database)
      },
    }
    describe('storing jobs', () => {
      storingTests(dispatchers)
    })
    describe('doing jobs', () => {
      doingTests(dispatchers)
    })
    describe('machines', () => {
      machineTests(dispatchers)
    })
  })
}
