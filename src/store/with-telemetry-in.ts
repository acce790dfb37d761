import type { Store } from './store.ts'

/** A store whose logs and traces are in another one. */
export function withTelemetryIn(telemetry: Store, store: Store): Store {
  return {
    ...store,
    // these change after the store was opened
    get newestRecordAt() {
      return store.newestRecordAt
    },
    logs: telemetry.logs,
    traces: telemetry.traces,
    giveSpaceBack: async () => (await store.giveSpaceBack()) + (await telemetry.giveSpaceBack()),
    close: async () => {
      await store.close()
      await telemetry.close()
    },
  }
}
