import type { agUiEndpoints } from '../../contract/endpoints/ag-ui.ts'
import { AppError } from '../../lib/errors.ts'
import { eventStreamResponse } from '../reply/event-stream.ts'
import type { Handler, OutgoingEvent } from '../reply/reply.ts'
import type { Services } from '../services.ts'
import { runForClient } from '../request/request-lifetime.ts'

type Group = typeof agUiEndpoints

export function agUiHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  return {
    runAgUi: async ({ params, body, raw, user, access, trace }) => {
      const { registry, engine } = services.current()
      const agent = registry.agent(params.id)
      const abort = new AbortController()
      const [{ startRun }, { runError }] = await Promise.all([
        import('../../ag-ui/start-run.ts'),
        import('../../ag-ui/run-events.ts'),
      ])
      try {
        const events = await runForClient(services, raw.signal, (signal) =>
          startRun({
            agent,
            agents: engine.agents,
            history: engine.history,
            body,
            user,
            decider: access.decider,
            checkConversation: (id) => access.toConversation(id),
            signal: AbortSignal.any([signal, abort.signal]),
            trace,
          }),
        )
        return eventStreamResponse({ events: outgoing(events), abort }, services)
      } catch (error) {
        if (!(error instanceof AppError) || error.code === 'internal') throw error
        return Response.json(runError(error), { status: error.status, headers: { ...error.headers } })
      }
    },
  }
}

async function* outgoing(events: AsyncGenerator<object>): AsyncGenerator<OutgoingEvent> {
  for await (const event of events) yield { data: JSON.stringify(event) }
}
