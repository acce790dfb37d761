import { systemClock, toIso } from '../../lib/clock.ts'
import type { Clock } from '../../lib/clock.ts'
import type { EnvChange } from '../env-files.ts'
import type { LoadedEvent, LoadFailedEvent } from './load-event.ts'
import type { Generation } from '../loader/generation.ts'
import { projectRelative } from '../loader/errors/load-error.ts'
import type { LoadError } from '../loader/errors/load-error.ts'

/** Collects the changes since the last successful load and builds the load events. */
export class LoadReport {
  readonly #root: string
  readonly #clock: Clock
  readonly #files = new Set<string>()
  readonly #env = new Map<string, EnvChange>()
  #startedAt = performance.now()

  constructor(root: string, clock: Clock = systemClock) {
    this.#root = root
    this.#clock = clock
  }

  begin(): void {
    this.#startedAt = performance.now()
  }

  /** `files` are absolute. */
  changed(files: Iterable<string>, env: Iterable<EnvChange>): void {
    for (const file of files) this.#files.add(projectRelative(this.#root, file))
    for (const change of env) this.#env.set(change.key, change)
  }

  loaded(generation: Generation<unknown>): LoadedEvent {
    const event: LoadedEvent = {
      generation: generation.number,
      ...this.#timing(),
      files: [...this.#files],
      modules: generation.files.length,
      env: [...this.#env.values()],
    }
    this.#files.clear()
    this.#env.clear()
    return event
  }

  /** `generation` is the number of the generation in service; 0 for none. */
  failed(error: LoadError, generation: number): LoadFailedEvent {
    return { generation, ...this.#timing(), error }
  }

  #timing() {
    const elapsed = performance.now() - this.#startedAt
    return { at: toIso(this.#clock.now()), durationMs: Math.round(elapsed * 10) / 10 }
  }
}
