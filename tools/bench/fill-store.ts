import path from 'node:path'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'

/** Fills the database of a project before a server opens it. */
export async function fillStore<T>(root: string, fill: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ url: 'file:.agentserver/data.db', root: path.resolve(root) })
  try {
    return await fill(store)
  } finally {
    await store.close()
  }
}
