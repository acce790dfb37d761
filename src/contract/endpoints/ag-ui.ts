import { z } from 'zod'
import { endpoints } from '../endpoint.ts'
import { Id } from '../fields.ts'

/** The input of a run (AG-UI 1.0, `RunAgentInput`). The adapter validates it by the schemas of the protocol. */
const AgUiRunInput = z
  .looseObject({
    threadId: z.string().describe('Id of the conversation'),
    runId: z.string().describe('Id of the run, of the choice of the client; the events have it'),
    messages: z
      .array(z.looseObject({}))
      .describe('Messages of AG-UI: the whole conversation, of which the new ones are taken'),
    tools: z.array(z.looseObject({})).optional().describe('Tools that the front end executes'),
    context: z
      .array(z.looseObject({}))
      .optional()
      .describe('Information for the agent: a description and a value each'),
    state: z.unknown().optional().describe('State of the front end, for tools'),
    resume: z.array(z.looseObject({})).optional().describe('Responses to the interrupts of an earlier run'),
  })
  .meta({ id: 'AgUiRunInput' })

/** An event of AG-UI. */
const AgUiEvent = z.looseObject({ type: z.string() }).meta({ id: 'AgUiEvent' })

const Refusal = z.object({ success: z.literal(false), error: z.string() })

/** The event `RUN_ERROR` of AG-UI. */
const AgUiError = z
  .object({ type: z.literal('RUN_ERROR'), message: z.string(), code: z.string() })
  .meta({ id: 'AgUiError' })

export const agUiEndpoints = endpoints({
  runAgUi: {
    method: 'POST',
    path: '/agents/:id/ag-ui',
    action: 'chat',
    decides: 'ag-ui',
    group: 'execution',
    tag: 'Agents',
    summary: 'Streams an answer as events of the AG-UI protocol, for HttpAgent of @ag-ui/client',
    params: z.object({ id: Id.describe('Agent id') }),
    body: AgUiRunInput,
    bodyUnchecked: true,
    reply: {
      kind: 'protocol',
      schema: AgUiEvent,
      events: AgUiEvent,
      errorSchema: z.union([AgUiError, Refusal]),
      rpcErrors: [],
    },
    errors: [404, 409, 413, 415, 429],
  },
})
