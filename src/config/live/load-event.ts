import type { EnvChange } from '../env-files.ts'
import type { LoadError } from '../loader/errors/load-error.ts'

/** A generation of the user's code that came into service. */
export interface LoadedEvent {
  /** Counted from 1. */
  readonly generation: number
  /** ISO 8601, UTC. */
  readonly at: string
  readonly durationMs: number
  /** The changed files, relative to the project. Empty for the first load. */
  readonly files: readonly string[]
  /** The number of project files in the generation. */
  readonly modules: number
  /** Changed environment variables, without values. */
  readonly env: readonly EnvChange[]
}

/** A failed load. The last valid generation stays in service. */
export interface LoadFailedEvent {
  /** The generation in service; 0 for none. */
  readonly generation: number
  /** ISO 8601, UTC. */
  readonly at: string
  readonly durationMs: number
  readonly error: LoadError
}
