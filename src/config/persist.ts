import { requireKind, requireObject } from '../lib/require-object.ts'
import { AsyncLocalStorage } from 'node:async_hooks'

export interface PersistOptions<Value> {
  /** Closes a value when its `deps` change or the server stops. */
  readonly dispose?: (value: Awaited<Value>) => void | Promise<void>
  /** If one of these differs from the last call (`Object.is`), a new value is opened. */
  readonly deps?: readonly unknown[]
}

interface Entry {
  readonly value: unknown
  readonly deps: readonly unknown[]
  readonly dispose: ((value: never) => void | Promise<void>) | undefined
}

interface Replacement {
  readonly key: string
  readonly old: Entry
  readonly replacement: Entry
}

interface PersistedValues {
  readonly entries: Map<string, Entry>
  /** Values replaced during the current load, if one is running. */
  load: Replacement[] | undefined
}

const REGISTRY = Symbol.for('agentserver.persisted-values')
const SCOPE = Symbol.for('agentserver.persisted-values.scope')

/** Shared by all copies of this package in the process, so that values survive reloads. */
function persistedValues(): PersistedValues {
  const holder = globalThis as { [REGISTRY]?: PersistedValues }
  return persistScope().getStore() ?? (holder[REGISTRY] ??= { entries: new Map(), load: undefined })
}

function persistScope(): AsyncLocalStorage<PersistedValues> {
  const holder = globalThis as { [SCOPE]?: AsyncLocalStorage<PersistedValues> }
  return (holder[SCOPE] ??= new AsyncLocalStorage())
}

/**
 * Returns a function that runs work with persisted values of its own, so that code which is loaded a second time in this
 * process neither shares nor disposes those of the first.
 */
export function ownPersistedValues(): <T>(work: () => T) => T {
  const values: PersistedValues = { entries: new Map(), load: undefined }
  return (work) => persistScope().run(values, work)
}

/**
 * Keeps a value across reloads, such as a database pool. The first call with a key opens the value; later calls
 * return it. If `open` returns a promise, so does `persist`, and a rejected promise is not kept: the next call opens
 * the value again.
 *
 * When `deps` change, a new value is opened. The old one is disposed when no running execution can use it any longer.
 * If the new code fails to load, the old value is kept.
 *
 * @example
 * export const pool = persist('pool', () => connect(url), { deps: [url], dispose: (old) => old.close() })
 */
export function persist<Value>(key: string, open: () => Value, options: PersistOptions<Value> = {}): Value {
  requireKind('persist', 'key', key, 'string')
  requireKind('persist', 'open', open, 'function')
  requireObject('persist', 'options', options, { dispose: 'function', deps: 'array' })
  const { entries, load } = persistedValues()
  const deps = options.deps ?? []
  const old = entries.get(key)
  if (old !== undefined && sameDeps(old.deps, deps)) return old.value as Value
  const entry: Entry = { value: open(), deps, dispose: options.dispose }
  entries.set(key, entry)
  forgetWhenRejected(key, entry)
  if (old !== undefined) {
    if (load === undefined) void disposeEntry(old).catch(warn)
    else load.push({ key, old, replacement: entry })
  }
  return entry.value as Value
}

/** Disposes all persisted values, newest first. Called when the process ends. */
export async function disposePersistedValues(): Promise<void> {
  const { entries } = persistedValues()
  const open = [...entries.values()].toReversed()
  entries.clear()
  const results = await Promise.allSettled(open.map(disposeEntry))
  const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
  if (failed.length > 0) throw new AggregateError(failed, 'Failed to dispose persisted values')
}

export interface PersistTransaction {
  /** Ends the transaction after a successful load. Returns a function that disposes the replaced values. */
  keep(): () => Promise<void>
  /** Restores the replaced values after a failed load. */
  undo(): Promise<void>
}

/** Starts a transaction. Until it ends, replaced values are not disposed. */
export function beginPersistTransaction(): PersistTransaction {
  const values = persistedValues()
  const replaced: Replacement[] = []
  values.load = replaced
  const close = () => {
    if (values.load === replaced) values.load = undefined
  }
  return {
    keep: () => {
      close()
      return async () => {
        for (const { old } of replaced) await disposeEntry(old)
      }
    },
    undo: async () => {
      close()
      for (const { key, old, replacement } of replaced.toReversed()) {
        if (values.entries.get(key) === replacement) values.entries.set(key, old)
        await disposeEntry(replacement).catch(warn)
      }
    },
  }
}

function sameDeps(before: readonly unknown[], now: readonly unknown[]): boolean {
  return before.length === now.length && before.every((value, index) => Object.is(value, now[index]))
}

function forgetWhenRejected(key: string, entry: Entry): void {
  if (!(entry.value instanceof Promise)) return
  entry.value.catch(() => {
    const { entries } = persistedValues()
    if (entries.get(key) === entry) entries.delete(key)
  })
}

async function disposeEntry({ value, dispose }: Entry): Promise<void> {
  const opened = await Promise.resolve(value).then(
    (result) => ({ result }),
    // it failed to open, which its caller has seen
    () => undefined,
  )
  if (opened !== undefined) await dispose?.(opened.result as never)
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
