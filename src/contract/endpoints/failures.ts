import { z } from 'zod'
import { endpoints } from '../endpoint.ts'
import { ExecutionError } from '../event.ts'
import { Instant, PageQuery } from '../fields.ts'
import { USAGE_HOURS } from './usage.ts'

/** The number of newest failures, and completed replays of failures, that are grouped. */
export const MAX_GROUPED = 10_000

/** Executions that have failed in the same way. */
export const Failure = z
  .object({
    id: z
      .string()
      .describe('The same for the same failure on all machines; the filter `failure` of lists of executions'),
    workflowId: z.string(),
    workflowName: z.string(),
    error: ExecutionError.describe('Error of the newest failed execution'),
    count: z.int().describe(`Failed executions, among the newest ${MAX_GROUPED} of all`),
    firstAt: Instant.describe('Oldest of them'),
    lastAt: Instant.describe('Newest of them'),
    lastExecutionId: z.string().describe('Newest failed execution'),
    firstGeneration: z
      .int()
      .nullable()
      .describe('Generation in service at `firstAt`; null when that is longer ago than the recorded loads'),
    open: z.boolean().describe('`false`: a replay has completed since `lastAt`'),
    resolvedAt: Instant.nullable().describe('When that replay completed; null when open'),
    hours: z.array(z.int()).describe(`Failures in each of the last ${USAGE_HOURS} hours, oldest first`),
  })
  .meta({ id: 'Failure' })
export type Failure = z.infer<typeof Failure>

export const failureEndpoints = endpoints({
  listFailures: {
    method: 'GET',
    path: '/observability/failures',
    ofAllUsers: true,
    group: 'observability',
    tag: 'Observability',
    summary:
      'Lists failures by their error, step and place in the code, the newest first: the same failure is one element, whatever numbers, ids and quoted parts its message has',
    query: PageQuery.extend({
      workflowId: z.string().optional().describe('Only failures of this workflow'),
      open: z
        .enum(['true', 'false'])
        .optional()
        .describe('`true`: only those of which no replay has completed since; `false`: only the others'),
    }),
    reply: { kind: 'data', schema: z.array(Failure), paged: true },
    errors: [400],
  },
})
