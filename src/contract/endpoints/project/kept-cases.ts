import { z } from 'zod'
import { endpoints } from '../../endpoint.ts'
import { Case } from '../../evals/case.ts'
import { Id, WorkflowParams } from '../../fields.ts'
import { AgentParams } from '../agent.ts'

/** Names of devices, which Windows refuses as names of files and folders, with any extension. */
const DEVICE = /\/(?:con|prn|aux|nul|(?:com|lpt)[0-9])[./]/i
/** One name in the path of a case file: no hidden file, no parent directory, valid on every file system. */
const NAME = `[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9_-])?`

/** Path of a case file in the project. */
export const CasePath = z
  .string()
  .regex(
    new RegExp(`^cases/${NAME}/${NAME}\\.json$`),
    'Must be cases/<name>/<id>.json, where <name> and <id> have letters, digits, ".", "_" and "-"',
  )
  .refine((path) => !DEVICE.test(path), 'Must not have the name of a device of Windows, such as con')
  .meta({ id: 'CasePath' })

export const KeptCase = z
  .object({
    path: CasePath.describe('Path of the file, relative to the project'),
    case: Case.describe('Content of the file, without secrets'),
    exists: z.boolean().describe('Whether there is a file with this path'),
    writable: z.boolean().describe('Whether this server writes cases: under `agentserver dev` only'),
    hints: z.array(z.string()).describe('What to know about the case, such as why it expects no output'),
  })
  .meta({ id: 'KeptCase' })
export type KeptCase = z.infer<typeof KeptCase>

/** Cases in one list. */
export const LISTED_CASES = 100

const ListedCase = z
  .object({
    path: z.string().describe('Path of the file, relative to the project'),
    input: z.unknown(),
    note: z.string().optional(),
  })
  .meta({ id: 'ListedCase' })
export type ListedCase = z.infer<typeof ListedCase>

const list = {
  method: 'GET',
  action: 'read',
  // cases have inputs of any user
  ofAllUsers: true,
  group: 'observability',
  tag: 'Console',
  reply: {
    kind: 'data',
    schema: z
      .array(ListedCase)
      .describe(
        `At most ${LISTED_CASES}, in the order of their paths; files that are not cases are left out`,
      ),
  },
  errors: [400, 404],
} as const

const read = {
  method: 'GET',
  action: 'read',
  group: 'observability',
  reply: { kind: 'data', schema: KeptCase },
  errors: [400, 404, 409],
} as const

const keep = {
  ...read,
  method: 'POST',
  action: 'replay',
  body: z.object({
    case: Case.optional().describe('Content of the file; default: as GET returns it'),
    path: CasePath.optional().describe('Path of the file; default: as GET returns it'),
    overwrite: z.boolean().optional().describe('Whether to replace an existing file; default false: 409'),
  }),
  bodyOptional: true,
  errors: [400, 404, 409, 413, 415],
} as const

const ofExecution = {
  path: '/observability/executions/:executionId/case',
  tag: 'Console',
  params: z.object({ executionId: Id.describe('Execution id') }),
} as const

const ofAgentRun = {
  path: '/observability/agents/:id/runs/:runId/case',
  tag: 'Console',
  params: z.object({ id: Id.describe('Agent id'), runId: Id.describe('Run id') }),
} as const

export const keptCaseEndpoints = endpoints({
  getExecutionCase: {
    ...read,
    ...ofExecution,
    summary: 'Returns an execution that has ended as a case for evals, with the file to keep it in',
  },
  keepExecutionCase: {
    ...keep,
    ...ofExecution,
    summary: 'Writes an execution that has ended as a case file; under `agentserver dev` only',
  },
  getAgentRunCase: {
    ...read,
    ...ofAgentRun,
    summary: 'Returns an agent run that has ended as a case for evals, with the file to keep it in',
  },
  keepAgentRunCase: {
    ...keep,
    ...ofAgentRun,
    // what belongs to a user is the run, which the handler finds among the caller's
    action: 'read',
    summary: 'Writes an agent run that has ended as a case file; under `agentserver dev` only',
  },
  listWorkflowCases: {
    ...list,
    path: '/observability/workflows/:id/cases',
    params: WorkflowParams,
    summary: 'Lists the cases of a workflow in `cases/*/*.json`, with their inputs',
  },
  listAgentCases: {
    ...list,
    path: '/observability/agents/:id/cases',
    params: AgentParams,
    summary: 'Lists the cases of an agent in `cases/*/*.json`, with their inputs',
  },
})
