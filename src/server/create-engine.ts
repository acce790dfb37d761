import type { ServerConfig } from '../config/config.ts'
import { Engine } from '../engine/engine.ts'
import type { EngineMeter } from '../engine/engine-meter.ts'
import type { ServedGeneration } from '../http/services.ts'
import { systemClock } from '../lib/clock.ts'
import { uuidV7Generator } from '../lib/ids.ts'
import { shortPaths } from '../lib/files/short-paths.ts'
import type { TraceScope } from '../lib/telemetry/trace-scope.ts'
import type { ServerLogs } from '../observability/logs/server-logs.ts'
import type { Store } from '../store/store.ts'

interface EngineSurroundings {
  readonly store: Store
  /** The project's directory, absolute. */
  readonly root: string
  readonly production: boolean
  readonly logs: ServerLogs
  readonly meter: EngineMeter
  readonly trace: () => TraceScope
  readonly served: () => ServedGeneration
}

/** Makes the engine, which stays while configurations come and go; `retention` and `limits` are the first one's. */
export function createEngine(
  { retention, limits }: ServerConfig,
  { root, production, logs, served, ...surroundings }: EngineSurroundings,
): Engine {
  return new Engine({
    ...surroundings,
    clock: systemClock,
    newId: uuidV7Generator(),
    logger: logs.logger,
    production,
    projectDir: root,
    errors: { shorten: shortPaths(root), stacks: !production, redact: logs.redactor.text },
    retention: retention.executions,
    resultBytes: limits.resultBytes,
    registry: () => served().registry,
    hold: () => {
      const { registry, hold } = served()
      return { registry, release: hold() }
    },
  })
}
