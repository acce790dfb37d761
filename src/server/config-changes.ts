import type { LoadedEvent } from '../config/live/load-event.ts'
import type { ConfigChange } from '../contract/channels.ts'
import { MAX_CHANGES } from '../contract/endpoints/settings.ts'
import type { RecordedChange } from '../contract/endpoints/settings.ts'
import type { LoadFailure } from '../contract/load-failure.ts'
import type { Registry } from '../engine/registry.ts'
import { systemClock, toIso } from '../lib/clock.ts'

/** The newest loads of the configuration, successful and failed. */
export class ConfigChanges {
  readonly #onChange: (change: ConfigChange) => void
  readonly #changes: RecordedChange[] = []

  constructor(onChange: (change: ConfigChange) => void) {
    this.#onChange = onChange
  }

  /** Records a load, with what it added, changed and removed. */
  addLoad(event: LoadedEvent, before: Registry | undefined, now: Registry): void {
    const { generation, at, durationMs, files } = event
    const difference = compare(before ? hashesIn(before) : new Map(), hashesIn(now))
    this.#add({
      type: 'config:loaded',
      data: { generation, at, durationMs, files: [...files], ...difference },
    })
  }

  /** Records a failed load; `generation` stays in service. */
  addFailure(failure: LoadFailure, generation: number): void {
    this.#add({ type: 'config:error', data: { ...failure, generation } })
  }

  /** Newest first. */
  list(): readonly RecordedChange[] {
    return this.#changes
  }

  #add(change: ConfigChange): void {
    this.#changes.unshift({ at: toIso(systemClock.now()), ...change })
    this.#changes.splice(MAX_CHANGES)
    this.#onChange(change)
  }
}

/** The keys of workflows and agents with a hash of each. Agents have none: they are never listed as changed. */
type Hashes = ReadonlyMap<string, string>

function hashesIn(registry: Registry): Hashes {
  return new Map([
    ...registry.list().map(({ definition, hash }) => [`workflow:${definition.id}`, hash] as const),
    ...registry.agents.map(({ id }) => [`agent:${id}`, ''] as const),
  ])
}

function compare(before: Hashes, now: Hashes): { added: string[]; changed: string[]; removed: string[] } {
  return {
    added: [...now.keys()].filter((key) => !before.has(key)),
    changed: [...now].flatMap(([key, hash]) => (before.has(key) && before.get(key) !== hash ? [key] : [])),
    removed: [...before.keys()].filter((key) => !now.has(key)),
  }
}
