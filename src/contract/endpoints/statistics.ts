import { z } from 'zod'
import { Cost } from '../agent-event.ts'
import { endpoints } from '../endpoint.ts'
import { Id, Instant, InstantQuery, WorkflowParams } from '../fields.ts'

/** The number of days before today that durations of steps are from. */
export const USUAL_DAYS = 7

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

const Step = z.string().describe('Path of the step, with `[]` for rounds; empty for requests of callers')
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
    workflows: by({ workflowId: Workflow }),
    steps: by({ workflowId: Workflow, step: Step }),
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
    steps: by({ step: Step, agentId: z.string(), model: Model }).describe(
      'By step, agent and model. Calls count when their agent run ends or waits',
    ),
  })
  .meta({ id: 'ExecutionCosts' })
export type ExecutionCosts = z.infer<typeof ExecutionCosts>

export const StepStatistics = z
  .object({
    step: Step,
    runs: z.int().describe('Ended runs, each item and round of its own'),
    errors: z.int().describe('Those that failed, after their retries'),
    timed: z.int().describe('Completed runs with a duration: those that did not wait'),
    p50Ms: z.int().nullable().describe('Median duration of these, retries included; null without any'),
    p95Ms: z.int().nullable(),
    costs: CallCosts.nullable().describe('Model calls of the step; null without any'),
  })
  .meta({ id: 'StepStatistics' })
export type StepStatistics = z.infer<typeof StepStatistics>

export const WorkflowStatistics = z
  .object({
    from: Instant.describe(`Start of the day ${USUAL_DAYS} days ago, in UTC`),
    to: Instant,
    precision: z.number().describe('Largest relative error of durations, at least 1 ms'),
    steps: z.array(StepStatistics).describe('In the order of their paths'),
  })
  .meta({ id: 'WorkflowStatistics' })
export type WorkflowStatistics = z.infer<typeof WorkflowStatistics>

export const statisticsEndpoints = endpoints({
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
  getWorkflowStatistics: {
    method: 'GET',
    path: '/observability/workflows/:id/statistics',
    ofAllUsers: true,
    action: 'read',
    group: 'observability',
    tag: 'Observability',
    summary: `Returns durations, errors and costs of the steps of a workflow in the last ${USUAL_DAYS} days`,
    params: WorkflowParams,
    reply: { kind: 'data', schema: WorkflowStatistics },
    errors: [400, 404],
  },
})
