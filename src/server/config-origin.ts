import type { LoadedEvent } from '../config/load-event.ts'
import { systemClock, toIso } from '../lib/clock.ts'

/** Holds a generation of the user's code for as long as something runs on it. */
export interface GenerationHold {
  use(): () => void
}

/** Where a configuration comes from. */
export interface ConfigOrigin {
  readonly generation: GenerationHold
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
