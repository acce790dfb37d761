import type { setupEndpoints } from '../../contract/setup.ts'
import { setupObservability } from '../../observability/keys/setup-observability.ts'
import type { Handler } from '../reply.ts'
import type { Services } from '../services.ts'

type Group = typeof setupEndpoints

export function setupHandlers({ root }: Services): { [K in keyof Group]: Handler<Group[K]> } {
  return {
    setupObservability: ({ body }) => setupObservability({ root, ...body }),
  }
}
