import { createHash } from 'node:crypto'
import { projectRelative } from './errors/load-error.ts'
import type { ModuleRecord } from './module-record.ts'

/** The modules of one generation, by file. */
export class ModuleGraph {
  #records: Map<string, ModuleRecord>

  constructor(records: Iterable<ModuleRecord> = []) {
    this.#records = new Map([...records].map((record) => [record.file, record]))
  }

  get size(): number {
    return this.#records.size
  }

  get records(): ModuleRecord[] {
    return [...this.#records.values()]
  }

  get files(): string[] {
    return [...this.#records.keys()]
  }

  get(file: string): ModuleRecord | undefined {
    return this.#records.get(file)
  }

  /** A hash of the names and contents of the files, whatever the order in which they were loaded. */
  contentHash(root: string): string {
    const files = this.records.map(({ file, source = '' }) => [projectRelative(root, file), source] as const)
    const hash = createHash('sha256')
    for (const file of files.toSorted(([a], [b]) => (a < b ? -1 : 1))) hash.update(JSON.stringify(file))
    return hash.digest('hex')
  }

  add(record: ModuleRecord): void {
    this.#records.set(record.file, record)
  }

  clear(): void {
    this.#records.clear()
  }

  /** The given files and all files that import them, directly or indirectly. */
  importersOf(files: Iterable<string>): Set<string> {
    const importers = new Map<string, string[]>()
    for (const { file, imports } of this.#records.values()) {
      for (const imported of imports) {
        const known = importers.get(imported)
        if (known === undefined) importers.set(imported, [file])
        else known.push(file)
      }
    }
    return closure(files, (file) => (this.#records.has(file) ? (importers.get(file) ?? []) : undefined))
  }

  /** Removes modules that are not reachable from the entry, and orders the rest: importers before their imports. */
  keepReachableFrom(entry: string): void {
    const importedFirst = new Map<string, ModuleRecord>()
    const seen = new Set<string>()
    const visit = (file: string) => {
      const record = this.#records.get(file)
      if (record === undefined || seen.has(file)) return
      seen.add(file)
      for (const imported of record.imports) visit(imported)
      importedFirst.set(file, record)
    }
    visit(entry)
    this.#records = new Map([...importedFirst].toReversed())
  }

  /** Whether `file` waits for one of `chain`, so that awaiting it from there would never end. */
  waitsFor(file: string, chain: readonly string[]): boolean {
    const running = (name: string) => {
      const record = this.#records.get(name)
      return record?.running === true ? record.imports : []
    }
    const awaited = closure([file], running)
    return chain.some((name) => awaited.has(name))
  }
}

/** All names reachable over `next`. Names for which it returns undefined are omitted. */
function closure(start: Iterable<string>, next: (name: string) => Iterable<string> | undefined): Set<string> {
  const found = new Set<string>()
  const queue = [...start]
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (found.has(name)) continue
    const targets = next(name)
    if (targets === undefined) continue
    found.add(name)
    queue.push(...targets)
  }
  return found
}
