import { z } from 'zod'
import { endpoints } from '../endpoint.ts'

/** More than a project keeps as cases. */
const MAX_NAMED_RUNS = 10_000

const ErasedRows = z
  .record(z.string(), z.int())
  .describe('How many rows were deleted, by the name of the table; spans by their number')

export const Erased = z.object({ rows: ErasedRows }).meta({ id: 'Erased' })
export type Erased = z.infer<typeof Erased>

export const erasureEndpoints = endpoints({
  eraseUser: {
    method: 'POST',
    path: '/observability/erase',
    group: 'observability',
    tag: 'Observability',
    summary: 'Deletes everything that is stored of a user',
    body: z.object({
      userId: z.string().min(1).max(512).describe('Id of the user'),
      runs: z
        .array(z.string())
        .max(MAX_NAMED_RUNS)
        .optional()
        .describe('Ids of executions and agent runs, such as those of kept cases'),
    }),
    reply: {
      kind: 'data',
      schema: Erased.extend({
        runs: z.array(z.string()).describe('Those of the named executions and agent runs that were deleted'),
      }),
    },
    errors: [400, 409, 413, 415],
  },
})
