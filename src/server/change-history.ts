import type { ConfigChange } from '../contract/channels.ts'
import { MAX_CHANGES } from '../contract/endpoints/settings.ts'
import type { RecordedChange } from '../contract/endpoints/settings.ts'
import { systemClock, toIso } from '../lib/clock.ts'

/** Remembers the newest changes of the configuration, for whoever comes later, and tells them on. */
export class ChangeHistory {
  readonly #tell: (change: ConfigChange) => void
  readonly #changes: RecordedChange[] = []

  constructor(tell: (change: ConfigChange) => void) {
    this.#tell = tell
  }

  add(change: ConfigChange): void {
    this.#changes.unshift({ at: toIso(systemClock.now()), ...change })
    this.#changes.splice(MAX_CHANGES)
    this.#tell(change)
  }

  /** Newest first. */
  list(): readonly RecordedChange[] {
    return this.#changes
  }
}
