import type { pinEndpoints } from '../../../contract/endpoints/project/pins.ts'
import { AppError } from '../../../lib/errors.ts'
import type { Handler } from '../../reply/reply.ts'
import type { PinBoard, Services } from '../../services.ts'

type Group = typeof pinEndpoints

export function pinHandlers({ pins }: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const list = async () => ({ enabled: pins !== undefined, pins: pins ? [...(await pins.list())] : [] })
  return {
    listPins: list,
    pinExecution: ({ params, body }) => required(pins).pin(params.executionId, body.stepId),
    unpinExecution: async ({ params }) => {
      await required(pins).unpin(params.executionId)
      return list()
    },
  }
}

function required(pins: PinBoard | undefined): PinBoard {
  if (pins) return pins
  throw new AppError('conflict', 'Executions are pinned under "agentserver dev" only')
}
