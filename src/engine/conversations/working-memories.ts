import type { Agent } from '../../agent/agent.ts'
import { AppError } from '../../lib/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { compileSchema, formatIssues } from '../../lib/schema/schema.ts'
import type { Schema } from '../../lib/schema/schema.ts'
import type {
  WorkingMemoryKey,
  WorkingMemoryRow,
  WorkingMemoryStore,
} from '../../store/agents/working-memory-store.ts'
import { decodeStored } from '../record/values.ts'

/** Maximum size of a working memory, which each model call contains, in bytes of JSON. */
export const MAX_WORKING_MEMORY_BYTES = 16 * 1024

/** The last use is stored at most this often. */
const TOUCH_MS = 3_600_000
/** Others who change the same memory at the same time are few. */
const MAX_ATTEMPTS = 20

interface WorkingMemoryDeps {
  readonly store: { readonly workingMemory: WorkingMemoryStore }
  readonly clock: Clock
}

type MemoryObject = Record<string, unknown>

/** The working memory of agents: an object for each agent and user. */
export class WorkingMemories {
  readonly #store: WorkingMemoryStore
  readonly #clock: Clock

  constructor({ store, clock }: WorkingMemoryDeps) {
    this.#store = store.workingMemory
    this.#clock = clock
  }

  /** Whether there is one. */
  async has(key: WorkingMemoryKey): Promise<boolean> {
    return (await this.#store.get(key)) !== undefined
  }

  async get(key: WorkingMemoryKey): Promise<MemoryObject | null> {
    return valueOf(await this.#store.get(key))
  }

  /** Its JSON for an answer; null when there is none. */
  async use(key: WorkingMemoryKey): Promise<string | null> {
    const row = await this.#store.get(key)
    if (!row) return null
    const now = this.#clock.now()
    if (row.usedAt < now - TOUCH_MS) await this.#store.touch(key, now)
    return row.value
  }

  delete(key: WorkingMemoryKey): Promise<boolean> {
    return this.#store.delete(key)
  }

  /** @throws AppError `invalid_input` naming the member that does not match the schema. */
  replace(key: WorkingMemoryKey, schema: Schema, value: MemoryObject): Promise<MemoryObject> {
    return this.#put(key, schema, () => value)
  }

  /**
   * Changes members; null removes one. Changes of others at the same time are kept.
   *
   * @throws AppError `invalid_input` naming the member that does not match the schema.
   */
  update(key: WorkingMemoryKey, schema: Schema, change: Readonly<MemoryObject>): Promise<MemoryObject> {
    return this.#put(key, schema, (before) => {
      const merged = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null)
      return Object.fromEntries(merged)
    })
  }

  async #put(
    key: WorkingMemoryKey,
    schema: Schema,
    changed: (before: MemoryObject) => MemoryObject,
  ): Promise<MemoryObject> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const row = await this.#store.get(key)
      const value = await checked(schema, changed(valueOf(row) ?? {}))
      const change = {
        value: JSON.stringify(value),
        owner: typeof key.userId === 'string' ? JSON.stringify(key.userId) : null,
        revision: row?.revision ?? 0,
        at: this.#clock.now(),
      }
      if (await this.#store.put(key, change)) return value
    }
    throw new AppError('unavailable', 'The working memory is being changed by others')
  }
}

/** The schema of an agent's working memory; `undefined` for an agent without one. */
export function workingMemorySchema({ memory }: Pick<Agent, 'memory'>): Schema | undefined {
  return typeof memory === 'object' ? memory.workingMemory : undefined
}

function valueOf(row: WorkingMemoryRow | undefined): MemoryObject | null {
  return row ? decodeStored<MemoryObject | null>(row.value, null) : null
}

async function checked(schema: Schema, value: MemoryObject): Promise<MemoryObject> {
  const validation = await compileSchema(schema).validate(value)
  if (!validation.ok) throw new AppError('invalid_input', formatIssues(validation.issues, 'workingMemory'))
  const size = Buffer.byteLength(JSON.stringify(validation.value))
  if (size > MAX_WORKING_MEMORY_BYTES)
    throw new AppError(
      'invalid_input',
      `workingMemory: Must not exceed ${MAX_WORKING_MEMORY_BYTES} bytes of JSON, but has ${size}`,
    )
  return validation.value as MemoryObject
}
