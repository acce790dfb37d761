export interface PersistOptions<Value> {
  /** Closes a value that is no longer wanted: its `deps` changed, or the server stops. */
  readonly dispose?: (value: Awaited<Value>) => void | Promise<void>
  /** The value is opened anew when one of these differs (`Object.is`) from the last time. */
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
  /** Values replaced by the load that is under way, if any. */
  load: Replacement[] | undefined
}

const REGISTRY = Symbol.for('agentserver.persisted-values')

/** One per process, also when several copies of this package are loaded: that is what `persist` is for. */
function persistedValues(): PersistedValues {
  const holder = globalThis as { [REGISTRY]?: PersistedValues }
  return (holder[REGISTRY] ??= { entries: new Map(), load: undefined })
}

/**
 * A value that survives reloads, such as a database pool: opened by the first call with its key, returned by
 * every later one. `open` may be asynchronous; then so is what `persist` returns, and a failed opening is
 * tried again by the next call.
 *
 * When `deps` change, the value is opened anew. The old one is disposed once no running execution can use it
 * any more; if the new code fails to load, the old value stays.
 */
export function persist<Value>(key: string, open: () => Value, options: PersistOptions<Value> = {}): Value {
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

/** Closes every persisted value, newest first. For the end of the process. */
export async function disposePersistedValues(): Promise<void> {
  const { entries } = persistedValues()
  const open = [...entries.values()].toReversed()
  entries.clear()
  const results = await Promise.allSettled(open.map(disposeEntry))
  const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
  if (failed.length > 0) throw new AggregateError(failed, 'Persisted values could not be closed')
}

export interface PersistTransaction {
  /** The load succeeded. Returns how to dispose what it replaced. */
  keep(): () => Promise<void>
  /** The load failed: what it replaced is back. */
  undo(): Promise<void>
}

/** While the transaction is open, replaced values stay alive. */
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
    // it never opened: whoever asked for it saw why
    () => undefined,
  )
  if (opened !== undefined) await dispose?.(opened.result as never)
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
