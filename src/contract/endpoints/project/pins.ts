import { z } from 'zod'
import { endpoints } from '../../endpoint.ts'
import { ExecutionError } from '../../event.ts'
import { Id, Instant, StepId } from '../../fields.ts'
import { ExecutionStatus } from '../../status.ts'

/** An execution whose step runs again on every save. */
export const Pin = z
  .object({
    executionId: z.string().describe('Pinned execution'),
    workflowId: z.string(),
    workflowName: z.string(),
    stepId: z.string().describe('Step that runs again, from its recorded input'),
    pinnedAt: Instant,
    status: z
      .enum(['idle', ...ExecutionStatus.options, 'gone'])
      .describe(
        'Status of the last replay; `idle`: none yet, `gone`: the execution or its workflow does not exist any more',
      ),
    problem: z.string().optional().describe('Why it can not run again'),
    error: ExecutionError.optional().describe('Error of the last replay'),
    replayExecutionId: z.string().optional().describe('Last replay'),
    comparedExecutionId: z
      .string()
      .optional()
      .describe(
        'Completed execution before the last replay, whose output is compared with that of the replay',
      ),
  })
  .meta({ id: 'Pin' })
export type Pin = z.infer<typeof Pin>

export const PinList = z
  .object({
    enabled: z.boolean().describe('Whether saves run pins again: under `agentserver dev` only'),
    pins: z.array(Pin).describe('In the order in which they were pinned'),
  })
  .meta({ id: 'PinList' })
export type PinList = z.infer<typeof PinList>

const params = z.object({ executionId: Id.describe('Execution id') })

export const pinEndpoints = endpoints({
  listPins: {
    method: 'GET',
    path: '/observability/pins',
    lists: 'records',
    group: 'observability',
    tag: 'Console',
    summary: 'Lists the pinned executions, whose step runs again on every save',
    reply: { kind: 'data', schema: PinList },
    errors: [],
  },
  pinExecution: {
    method: 'PUT',
    path: '/observability/pins/:executionId',
    action: 'replay',
    group: 'observability',
    tag: 'Console',
    summary: 'Pins an execution: on every save, its step runs again as a replay',
    params,
    body: z.object({
      stepId: StepId.optional().describe(
        'Step to run again; default: the one that failed, or else the first',
      ),
    }),
    bodyOptional: true,
    reply: { kind: 'data', schema: Pin },
    errors: [400, 404, 409, 413, 415],
  },
  unpinExecution: {
    method: 'DELETE',
    path: '/observability/pins/:executionId',
    action: 'replay',
    group: 'observability',
    tag: 'Console',
    summary: 'Unpins an execution',
    params,
    reply: { kind: 'data', schema: PinList },
    errors: [400, 404, 409],
  },
})
