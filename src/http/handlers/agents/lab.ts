import { textFormat } from '../../../agent/answer/formats/text-format.ts'
import type { labEndpoints } from '../../../contract/endpoints/agents/lab.ts'
import type { Handler } from '../../reply/reply.ts'
import { streamed } from '../../reply/part-events.ts'
import type { Services } from '../../services.ts'
import { instructionsPatch } from './instructions-patch.ts'

type Group = typeof labEndpoints

export function labHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  return {
    tryAgent: ({ params, body, user, raw, trace }) => {
      const { input, options = {}, ...changes } = body
      const call = { input, options, user, trace, changes }
      return streamed(raw.signal, (signal) =>
        services.current().engine.agents.trial(params.id, { ...call, signal }, textFormat),
      )
    },
    patchInstructions: ({ params, body }) => {
      const { registry, files } = services.current()
      const { instructions } = registry.usedAgent(params.id)
      return instructionsPatch(instructions, body.instructions, { root: services.root, files })
    },
  }
}
