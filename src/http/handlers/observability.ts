import type { observabilityEndpoints } from '../../contract/endpoints/observability.ts'
import { toIso } from '../../lib/clock.ts'
import { hasKeys } from '../../observability/export/export-settings.ts'
import type { Handler } from '../reply/reply.ts'
import type { Services } from '../services.ts'

type Group = typeof observabilityEndpoints

export function observabilityHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  return {
    getMetrics: async () => ({
      body: await services.metrics.scrape(),
      type: 'text/plain; version=0.0.4; charset=utf-8',
    }),
    listMachines: async () => {
      const { store } = services.current()
      const machines = await store.dispatcher.machines()
      return machines.map(({ ownerEpoch, lastBeatAt, ...machine }) => ({
        ...machine,
        lastBeatAt: toIso(lastBeatAt),
        self: ownerEpoch === store.ownerEpoch,
      }))
    },
    getObservabilityStatus: async () => {
      const { load, storage, telemetryStorage, logs } = services.current()
      const { generation, at, durationMs, files, modules } = load
      const error = services.loadFailure()
      const { enabled, dropped, queries } = services.traces
      const { traces, spans } = await queries.totals()
      return {
        production: services.production,
        enabled,
        traceCount: traces,
        spanCount: spans,
        dropped,
        logCount: await logs.count(),
        logsDropped: logs.lost,
        export: services.traces.export.status,
        storage,
        telemetryStorage,
        keysConfigured: hasKeys(process.env),
        generation: {
          number: generation,
          at,
          durationMs,
          files: [...files],
          modules,
          ageMs: Math.max(0, services.clock.now() - Date.parse(at)),
        },
        config: error === undefined ? { state: 'ok' } : { state: 'error', error },
      }
    },
  }
}
