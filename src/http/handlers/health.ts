import type { healthEndpoints } from '../../contract/endpoints/health.ts'
import { AppError } from '../../lib/errors.ts'
import type { Document, Handler } from '../reply/reply.ts'
import type { Services } from '../services.ts'

type Group = typeof healthEndpoints

const OK: Document = { body: 'ok', type: 'text/plain' }

export function healthHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  return {
    getHealth: () => OK,
    getReadiness: () => {
      if (!services.ready()) throw new AppError('unavailable', 'Not ready')
      return OK
    },
  }
}
