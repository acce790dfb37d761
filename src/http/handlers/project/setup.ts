import type { setupEndpoints } from '../../../contract/endpoints/project/setup.ts'
import { setupObservability } from '../../../observability/keys/setup-observability.ts'
import type { Handler } from '../../reply/reply.ts'
import type { Services } from '../../services.ts'

type Group = typeof setupEndpoints

export function setupHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  return {
    setupObservability: async ({ body }) => {
      const result = await setupObservability({ root: services.root, ...body })
      services.keysWritten(result.keys)
      return result
    },
  }
}
