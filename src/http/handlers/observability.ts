import type { observabilityEndpoints } from '../../contract/observability.ts'
import type { Handler } from '../reply.ts'
import type { Services } from '../services.ts'

type Group = typeof observabilityEndpoints

/** Nothing is sent. */
const NOT_EXPORTED = {
  export: { enabled: false, endpoint: null, lastSuccessAt: null, lastError: null, dropped: 0 },
} as const

export function observabilityHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  return {
    getObservabilityStatus: async () => {
      const { load, storage, logs } = services.served()
      const { generation, at, durationMs, files, modules } = load
      const error = services.loadFailure()
      const { enabled, dropped, queries } = services.traces
      const { traces, spans } = await queries.totals()
      return {
        enabled,
        traceCount: traces,
        spanCount: spans,
        dropped,
        logCount: await logs.count(),
        ...NOT_EXPORTED,
        storage,
        keysConfigured: isSet('SERVICE_PUBLIC_KEY') && isSet('SERVICE_SECRET_KEY'),
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

function isSet(name: string): boolean {
  return (process.env[name] ?? '').trim() !== ''
}
