import type { LoadedEvent } from '../config/live/load-event.ts'
import { projectRelative } from '../config/loader/errors/load-error.ts'
import { systemClock, toIso } from '../lib/clock.ts'

/** Holds a generation of the user's code for as long as something runs on it. */
export interface CodeGeneration {
  use(): () => void
  /** The project's files it was made of, absolute; none where a program made it. */
  readonly files?: readonly string[]
}

/** Where a configuration comes from. */
export interface ConfigOrigin {
  readonly generation: CodeGeneration
  readonly event: LoadedEvent
}

/** A configuration that a program made: there are no files to follow. */
export function handedOver(): ConfigOrigin {
  const at = toIso(systemClock.now())
  return {
    generation: { use: () => () => undefined },
    event: { generation: 1, at, durationMs: 0, files: [], modules: 0, env: [] },
  }
}

/** The files of a generation, relative to the project. */
export function filesOf({ files = [] }: CodeGeneration, root: string): string[] {
  return files.map((file) => projectRelative(root, file))
}
