import type { LoadedEvent } from '../config/live/load-event.ts'
import type { ConfigChange } from '../contract/channels.ts'
import type { LoadFailure } from '../contract/load-failure.ts'
import type { Registry } from '../engine/registry.ts'

/** What a configuration declares, with a fingerprint of each. */
export type Declared = ReadonlyMap<string, string>

/** The workflows and agents of a registry. */
export function declaredIn(registry: Registry): Declared {
  return new Map([
    ...registry.list().map(({ definition, hash }) => [`workflow:${definition.id}`, hash] as const),
    ...registry.agents.map(({ id }) => [`agent:${id}`, ''] as const),
  ])
}

/** What a load changed, against what was declared before. */
export function configLoaded(event: LoadedEvent, before: Declared, now: Declared): ConfigChange {
  const { generation, at, durationMs, files } = event
  const added = [...now.keys()].filter((key) => !before.has(key))
  const removed = [...before.keys()].filter((key) => !now.has(key))
  const changed = [...now].flatMap(([key, print]) =>
    before.has(key) && before.get(key) !== print ? [key] : [],
  )
  return {
    type: 'config:loaded',
    data: { generation, at, durationMs, files: [...files], added, changed, removed },
  }
}

export function configFailed(failure: LoadFailure, generation: number): ConfigChange {
  return { type: 'config:error', data: { ...failure, generation } }
}
