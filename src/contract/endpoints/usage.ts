import { Id, Instant, InstantQuery } from '../fields.ts'
import { z } from 'zod'
import { Cost } from '../agent-event.ts'
import { endpoints } from '../endpoint.ts'
import { AgentRunStatus } from './agent.ts'
import { EXECUTION_STATUSES } from '../status/execution-statuses.ts'
import { ExecutionStatus } from '../status.ts'

/** The limit of counts: the console shows "100,000 and more". */
export const MAX_COUNT = 100_000

/** The number of hours that are counted one by one, the current one included. */
export const USAGE_HOURS = 24

export const UsageHour = z
  .object({
    start: Instant.describe('Start of the hour'),
    started: z.int().describe('Executions started'),
    completed: z.int().describe('Executions completed'),
    errors: z.int().describe('Executions failed'),
    cancelled: z.int().describe('Executions cancelled'),
    answers: z
      .int()
      .describe('Agent runs ended, without trials of the prompt lab; the runs of their sub-agents count'),
    inputTokens: z.int().describe('Input tokens of those runs'),
    outputTokens: z.int().describe('Output tokens of those runs'),
    costUsd: Cost,
  })
  .meta({ id: 'ActivityHour' })
export type UsageHour = z.infer<typeof UsageHour>

/** The last hour is counted in slices of this length. */
export const USAGE_SLICE_MS = 300_000
export const USAGE_SLICES = 12

export const UsageSlice = UsageHour.pick({
  completed: true,
  errors: true,
  cancelled: true,
  answers: true,
  inputTokens: true,
  outputTokens: true,
})
  .extend({ start: Instant.describe('Start of the slice') })
  .meta({ id: 'ActivitySlice' })
export type UsageSlice = z.infer<typeof UsageSlice>

/** The maximum number of open failures that are named. */
export const MAX_OPEN_FAILURES = 200

const Count = z.int()
const limit = `${MAX_COUNT} at most`

export const CurrentUsage = z
  .object({
    at: Instant.describe('Time of the counts'),
    running: Count.describe(`Running executions, ${limit}`),
    suspended: Count.describe(`Suspended executions, ${limit}`),
    needsYou: z
      .object({
        suspended: Count.describe(`Suspended executions that wait for a person, ${limit}`),
        approvals: Count.describe(
          'Tool calls and forms of agent runs that wait for a decision, and answers that wait in the middle',
        ),
        failed: Count.describe(`Executions failed after \`since\`, ${limit}`),
        since: Instant,
      })
      .describe('What needs attention, without children of other executions'),
    openFailures: z
      .array(z.object({ id: z.string(), lastAt: Instant.describe('Newest failed execution') }))
      .describe(`Open failures after \`needsYou.since\`, newest first, ${MAX_OPEN_FAILURES} at most`),
    hours: z.array(UsageHour).describe('Last 24 hours, oldest first, the current hour included'),
  })
  .meta({ id: 'Activity' })
export type CurrentUsage = z.infer<typeof CurrentUsage>

/** The number of newest executions that are counted for each workflow. */
export const RECENT_EXECUTIONS = 100

/** The number of newest runs of a workflow, an agent or a tool that are returned. */
export const SHOWN_RUNS = 20

const Recent = Object.fromEntries(EXECUTION_STATUSES.map((status) => [status, z.int()])) as Record<
  ExecutionStatus,
  z.ZodInt
>

export const WorkflowUsage = z
  .object({
    workflowId: z.string(),
    last: z
      .object({
        executionId: z.string(),
        status: ExecutionStatus,
        createdAt: Instant,
        endedAt: Instant.nullable(),
      })
      .nullable()
      .describe('Newest execution'),
    recent: z
      .object(Recent)
      .describe(`Number of executions by status, among the newest ${RECENT_EXECUTIONS}`),
    runs: z
      .array(
        z.object({
          executionId: z.string(),
          status: ExecutionStatus,
          createdAt: Instant,
          endedAt: Instant.nullable(),
        }),
      )
      .describe(`The newest ${SHOWN_RUNS} executions, newest first`),
  })
  .meta({ id: 'WorkflowActivity' })
export type WorkflowUsage = z.infer<typeof WorkflowUsage>

export const AgentUsage = z
  .object({
    agentId: z.string(),
    runs: z
      .array(
        z.object({
          runId: z.string(),
          status: AgentRunStatus,
          startedAt: Instant,
          endedAt: Instant.nullable(),
          traceId: z.string(),
        }),
      )
      .describe(`The newest ${SHOWN_RUNS} runs, newest first`),
  })
  .meta({ id: 'AgentActivity' })
export type AgentUsage = z.infer<typeof AgentUsage>

export const ToolUsage = z
  .object({
    toolName: z.string(),
    runs: z
      .array(
        z.object({
          spanId: z.string(),
          traceId: z.string(),
          status: z.enum(['completed', 'error']),
          startedAt: Instant,
          durationMs: z.number(),
        }),
      )
      .describe(`The newest ${SHOWN_RUNS} calls, newest first`),
  })
  .meta({ id: 'ToolActivity' })
export type ToolUsage = z.infer<typeof ToolUsage>

/** The maximum number of elements of each list of costs. */
export const MAX_COST_GROUPS = 500

const Sums = {
  calls: z.int().describe('Model calls'),
  inputTokens: z.int().describe('Tokens of their prompts, as far as reported'),
  outputTokens: z.int().describe('Generated tokens, as far as reported'),
  costUsd: Cost.describe('Cost in US dollars; null when that of a call is unknown'),
  knownCostUsd: z.number().describe('Cost in US dollars of the calls whose cost is known'),
  unpricedCalls: z.int().describe('Calls whose cost is unknown'),
}

/** The pattern of the path of a step. */
export const StepPattern = z
  .string()
  .describe('Path of the step, with `[]` for rounds; empty for requests of callers')
const Workflow = z.string().describe('Workflow; empty for requests of callers')
const Model = z.string().describe('`provider/model`')

/** The sum of model calls. */
export const CallCosts = z.object(Sums).meta({ id: 'CallCosts' })
export type CallCosts = z.infer<typeof CallCosts>

const by = <const S extends z.core.$ZodLooseShape>(group: S) => z.array(z.object({ ...group, ...Sums }))

const BudgetUse = z
  .object({
    declaredOn: z.string().describe('`config`, `agent <id>` or `workflow <id>`'),
    per: z.enum(['run', 'user', 'agent', 'project']),
    everyHours: z.int().nullable().describe('Length of its window; null for a run'),
    usd: z.number().nullable().describe('Limit in US dollars; null for none'),
    tokens: z.int().nullable().describe('Limit of tokens; null for none'),
    onLimit: z.string().describe('`fail`, `ask`, or the `provider/model` with which runs go on'),
    subject: z
      .string()
      .nullable()
      .describe(
        'User or agent that has used most of its own; null when nothing is used, and of budgets per run',
      ),
    usedUsd: z.number().describe('US dollars that it has used, reservations included'),
    usedTokens: z.int(),
    usedRatio: z.number().describe('Used part of the limit; 1 is all of it'),
  })
  .meta({ id: 'BudgetUse' })
export type BudgetUse = z.infer<typeof BudgetUse>

export const Costs = z
  .object({
    from: Instant.describe('Start of the first hour'),
    to: Instant.describe('End of the last hour'),
    total: CallCosts,
    workflows: by({
      workflowId: Workflow,
      trial: z
        .literal(true)
        .optional()
        .describe(
          'Set for trials of the prompt lab, which are in the sums of agents, models and periods, too',
        ),
    }),
    steps: by({ workflowId: Workflow, step: StepPattern }),
    agents: by({ agentId: z.string() }),
    models: by({ model: Model }),
    periodHours: z.int().describe('Length of a period: an hour, or a day in UTC'),
    periods: by({ start: Instant }).describe('Oldest first, without those that have no calls'),
    budgets: z.array(BudgetUse).describe('Budgets now, of the workflow or agent of the filter, if any'),
  })
  .describe(`Each list has at most ${MAX_COST_GROUPS} elements, the most expensive first`)
  .meta({ id: 'Costs' })
export type Costs = z.infer<typeof Costs>

export const ExecutionCosts = z
  .object({
    total: CallCosts,
    steps: by({ step: StepPattern, agentId: z.string(), model: Model }).describe(
      'By step, agent and model. Calls count when their agent run ends or waits',
    ),
  })
  .meta({ id: 'ExecutionCosts' })
export type ExecutionCosts = z.infer<typeof ExecutionCosts>

export const usageEndpoints = endpoints({
  getActivity: {
    method: 'GET',
    path: '/observability/activity',
    ofAllUsers: true,
    group: 'observability',
    tag: 'Console',
    summary: 'Counts running, suspended and failed executions, and the activity of the last 24 hours',
    query: z.object({
      since: InstantQuery.optional().describe(
        'Executions failed after this instant are counted; default 24 hours ago',
      ),
    }),
    reply: { kind: 'data', schema: CurrentUsage },
    errors: [400],
  },
  listLastHour: {
    method: 'GET',
    path: '/observability/activity/last-hour',
    ofAllUsers: true,
    group: 'observability',
    tag: 'Console',
    summary: 'Counts what ended in the last hour, in slices of 5 minutes',
    reply: {
      kind: 'data',
      schema: z
        .array(UsageSlice)
        .describe(`${USAGE_SLICES} slices, oldest first, the current one included; fewer on busy servers`),
    },
    errors: [],
  },
  listWorkflowActivity: {
    method: 'GET',
    path: '/observability/workflows',
    ofAllUsers: true,
    group: 'observability',
    tag: 'Console',
    summary: 'Returns the newest executions of every workflow and the statuses of its newest 100',
    reply: { kind: 'data', schema: z.array(WorkflowUsage) },
    errors: [],
  },
  listAgentActivity: {
    method: 'GET',
    path: '/observability/agents',
    ofAllUsers: true,
    group: 'observability',
    tag: 'Console',
    summary: 'Returns the newest runs of every agent, without trials of the prompt lab',
    reply: { kind: 'data', schema: z.array(AgentUsage) },
    errors: [],
  },
  listToolActivity: {
    method: 'GET',
    path: '/observability/tools',
    ofAllUsers: true,
    group: 'observability',
    tag: 'Console',
    summary: 'Returns the newest calls of every tool since this machine was started',
    reply: { kind: 'data', schema: z.array(ToolUsage) },
    errors: [],
  },
  getCosts: {
    method: 'GET',
    path: '/observability/costs',
    ofAllUsers: true,
    group: 'observability',
    tag: 'Observability',
    summary: 'Sums the costs of model calls by workflow, step, agent, model and time',
    query: z.object({
      from: InstantQuery.optional().describe('Default 24 hours ago. Costs are counted by the hour'),
      to: InstantQuery.optional().describe('Default now'),
      workflowId: Id.optional().describe('Only calls of this workflow'),
      agentId: Id.optional().describe('Only calls of this agent'),
    }),
    reply: { kind: 'data', schema: Costs },
    errors: [400],
  },
  getExecutionCosts: {
    method: 'GET',
    path: '/observability/executions/:executionId/costs',
    action: 'read',
    group: 'observability',
    tag: 'Observability',
    summary: 'Returns the costs of an execution by step, agent and model',
    params: z.object({ executionId: Id.describe('Execution id') }),
    reply: { kind: 'data', schema: ExecutionCosts },
    errors: [400, 404],
  },
})
