import type { EnvChange } from '../env-files.ts'
import type { LoadError } from '../loader/errors/load-error.ts'

/** A generation of the user's code came into service. */
export interface LoadedEvent {
  /** Counted from 1. */
  readonly generation: number
  /** ISO 8601, UTC. */
  readonly at: string
  readonly durationMs: number
  /** The files whose change led to it, relative to the project; none for the first load. */
  readonly files: readonly string[]
  /** How many files of the project the generation is made of. */
  readonly modules: number
  /** Environment variables that changed, never their values. */
  readonly env: readonly EnvChange[]
}

/** A load failed; the last good generation stays in service. */
export interface LoadFailedEvent {
  /** The generation that stays in service; 0 when there is none. */
  readonly generation: number
  /** ISO 8601, UTC. */
  readonly at: string
  readonly durationMs: number
  readonly error: LoadError
}
