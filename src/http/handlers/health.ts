import type { healthEndpoints } from '../../contract/endpoints/health.ts'
import type { Document, Handler } from '../reply/reply.ts'
import type { Services } from '../services.ts'

type Group = typeof healthEndpoints

const OK: Document = { body: 'ok', type: 'text/plain' }

export function healthHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  return {
    getHealth: () => OK,
    getReadiness: () => {
      services.requireReady()
      return OK
    },
  }
}
