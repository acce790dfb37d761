import type { CallerAccess } from '../../../auth/caller-access.ts'
import type { pinEndpoints } from '../../../contract/endpoints/project/pins.ts'
import { AppError } from '../../../lib/errors.ts'
import type { Handler } from '../../reply/reply.ts'
import type { PinBoard, Services } from '../../services.ts'

type Group = typeof pinEndpoints

export function pinHandlers({ pins }: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const list = async (access: CallerAccess) => {
    const pinned = pins ? [...(await pins.list())] : []
    const isReadable = await Promise.all(pinned.map(({ executionId }) => access.canRead(executionId)))
    return { enabled: pins !== undefined, pins: pinned.filter((_, index) => isReadable[index]) }
  }
  return {
    listPins: ({ access }) => list(access),
    pinExecution: ({ params, body }) => required(pins).pin(params.executionId, body.stepId),
    unpinExecution: async ({ params, access }) => {
      await required(pins).unpin(params.executionId)
      return list(access)
    },
  }
}

function required(pins: PinBoard | undefined): PinBoard {
  if (pins) return pins
  throw new AppError('conflict', 'Executions are pinned under "agentserver dev" only')
}
