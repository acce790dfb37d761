import { z } from 'zod'
import { PauseAtOption } from '../breakpoints/pause-at.ts'
import { endpoints } from '../endpoint.ts'
import { ExecutionEvent, ExecutionResult } from '../event.ts'
import { Metadata } from '../metadata.ts'
import { HOOKS } from '../step-path.ts'
import {
  Id,
  IncludeQuery,
  Instant,
  JsonObject,
  JsonSchemaDocument,
  RequiredJson,
  WorkflowParams,
} from '../fields.ts'
import { StepType, WorkflowStatus } from '../status.ts'

export const WorkflowSummary = z
  .object({
    id: z.string(),
    name: z.string(),
    purpose: z.string(),
    stepsCount: z.int().describe('Number of top-level steps'),
    status: WorkflowStatus.describe('running while any execution runs, otherwise idle'),
    served: z
      .boolean()
      .describe('Whether requests can start it; false when only steps of other workflows run it'),
    agents: z
      .array(z.string())
      .optional()
      .describe('Agents that its steps call or `uses` names; missing: none'),
    workflows: z
      .array(z.string())
      .optional()
      .describe('Workflows that its steps run or `uses` names; missing: none'),
  })
  .meta({ id: 'WorkflowSummary' })
/** A workflow, as lists have it. */
export type WorkflowSummary = z.infer<typeof WorkflowSummary>

const RetryPolicy = z.object({
  limit: z.int().describe('Number of retries after the first attempt'),
  delayMs: z.number().describe('Delay before the first retry'),
  factor: z.number().describe('Factor by which each delay is longer than the previous one'),
  maxDelayMs: z.number().describe('Maximum delay'),
  jitter: z.number().describe('Random share of the delay, 0 to 1'),
})

export const StepDescription = z
  .object({
    id: z.string(),
    name: z.string(),
    type: StepType,
    purpose: z.string(),
    inputSchema: JsonSchemaDocument.optional(),
    outputSchema: JsonSchemaDocument.optional(),
    suspendSchema: JsonSchemaDocument.optional(),
    resumeSchema: JsonSchemaDocument.optional(),
    retries: RetryPolicy.optional().describe('Retry policy, if the step has one'),
    timeoutMs: z.number().optional().describe('Timeout of an attempt'),
    agentId: z.string().optional().describe('Agent of an andAgent step'),
    workflowId: z.string().optional().describe('Workflow of an andWorkflow step'),
    hasCompensation: z
      .literal(true)
      .optional()
      .describe('Whether it is undone when the execution fails or is cancelled'),
    catches: z
      .literal(true)
      .optional()
      .describe('Of the second step of an andTry step: it runs when the first has failed'),
    get steps() {
      return z
        .array(StepDescription)
        .optional()
        .describe(
          'Nested steps. One of type `group` is a chain; in records, its steps are below the path of the step around it',
        )
    },
  })
  .meta({ id: 'StepDescription' })
export type StepDescription = z.infer<typeof StepDescription>

/** An event that a workflow reacts to. */
const Trigger = z.object({
  event: z.string().describe('Name of the event'),
  key: z.string().optional().describe('The key that the event must have'),
  computesKey: z.literal(true).optional().describe('A function of the workflow returns the key'),
})

export const WorkflowDetail = WorkflowSummary.extend({
  steps: z.array(StepDescription),
  inputSchema: JsonSchemaDocument,
  resultSchema: JsonSchemaDocument.nullable(),
  startedBy: z
    .enum(['users', 'operators', 'code'])
    .optional()
    .describe('Who can start it, if the workflow declares it'),
  resumableBy: z
    .enum(['users', 'owner', 'others', 'operators'])
    .optional()
    .describe('Who of the users can suspend and resume its executions, if the workflow declares it'),
  on: z
    .array(
      Trigger.extend({
        filters: z.literal(true).optional().describe('A function of the workflow chooses among the events'),
      }),
    )
    .optional()
    .describe('The events that start it'),
  cancelOn: z.array(Trigger).optional().describe('The events that cancel its executions'),
  debounce: z
    .object({
      perMs: z.number().describe('The time without a further event after which the last one starts it'),
      computesKey: Trigger.shape.computesKey,
    })
    .optional(),
  hooks: z
    .array(z.enum(HOOKS))
    .optional()
    .describe('The hooks of the workflow, which are called after an execution has ended'),
  suspendSchema: JsonSchemaDocument.nullable(),
  resumeSchema: JsonSchemaDocument.nullable(),
}).meta({ id: 'WorkflowDetail' })
/** A workflow with its steps and schemas. */
export type WorkflowDetail = z.infer<typeof WorkflowDetail>

/** What an execution is started with, besides its input. */
export const ExecutionOptions = z.object({
  userId: z.string().max(256).optional().describe('Id of the user, for tracking'),
  conversationId: z.string().max(256).optional().describe('Id of the conversation'),
  executionId: Id.optional().describe(
    'Id for the execution; 409 when it is in use. The prefixes `schedule:` and `code:` are reserved',
  ),
  context: JsonObject.optional().describe('Additional data for steps'),
  metadata: Metadata.optional().describe(
    'What the execution is found by: texts, numbers and booleans, at most 20; `metadata` of its record',
  ),
})

export const ExecuteBody = z
  .object({
    input: RequiredJson.describe("Input, validated by the workflow's input schema; usually an object"),
    options: ExecutionOptions.extend({ pauseAt: PauseAtOption }).optional(),
  })
  .meta({ id: 'ExecuteBody' })

export const ExecutionStarted = z
  .object({
    executionId: z.string(),
    status: z.literal('running'),
    startAt: Instant,
  })
  .meta({ id: 'ExecutionStarted' })
export type ExecutionStarted = z.infer<typeof ExecutionStarted>

export const SendEventBody = z
  .object({
    name: Id.describe('Name of the event'),
    key: z
      .string()
      .max(1024)
      .optional()
      .describe(
        'Key; steps that wait for the event with this key take it, or, without a key, those with none',
      ),
    data: z.unknown().optional().describe('Data, validated by the schemas of the steps that wait for it'),
    id: Id.optional().describe(
      'Id of the event; an event with the id of an earlier one of the same sender counts once',
    ),
  })
  .meta({ id: 'SendEventBody' })

export const EventResult = z
  .object({
    eventId: z.string(),
    resumed: z.array(z.string()).describe('Ids of the executions that waited for the event and go on'),
    started: z.array(z.string()).describe('Ids of the executions that the event has started'),
    cancelled: z.array(z.string()).describe('Ids of the executions that the event has cancelled'),
  })
  .meta({ id: 'EventResult' })
export type EventResult = z.infer<typeof EventResult>

/** The headers of requests that start an execution. */
export const StartHeaders = z.object({
  prefer: z
    .string()
    .optional()
    .describe('`respond-async`: return 202 with the execution id when the execution is stored'),
})

const execute = {
  method: 'POST',
  group: 'execution',
  action: 'execute',
  tag: 'Workflows',
  params: WorkflowParams,
  headers: StartHeaders,
  body: ExecuteBody,
  consoleOptions: ['pauseAt'],
  reply: { kind: 'data', schema: ExecutionResult, accepted: ExecutionStarted },
  errors: [400, 404, 409, 413, 415, 429],
} as const

export const workflowEndpoints = endpoints({
  listWorkflows: {
    method: 'GET',
    path: '/workflows',
    lists: 'definitions',
    group: 'management',
    tag: 'Workflows',
    summary: 'Lists workflows',
    reply: { kind: 'data', schema: z.array(WorkflowSummary) },
    errors: [],
  },
  getWorkflow: {
    method: 'GET',
    path: '/workflows/:id',
    action: 'read',
    group: 'management',
    tag: 'Workflows',
    summary: 'Returns a workflow with its steps and schemas',
    params: WorkflowParams,
    reply: { kind: 'data', schema: WorkflowDetail },
    errors: [400, 404],
  },
  executeWorkflow: {
    ...execute,
    path: '/workflows/:id/execute',
    summary: 'Starts an execution and waits for its result or suspension',
  },
  runWorkflow: { ...execute, path: '/workflows/:id/run', summary: 'Starts an execution; alias of execute' },
  streamWorkflow: {
    method: 'POST',
    path: '/workflows/:id/stream',
    action: 'execute',
    group: 'execution',
    tag: 'Workflows',
    summary: 'Starts an execution and streams its events; the last is workflow-result',
    params: WorkflowParams,
    query: IncludeQuery,
    body: ExecuteBody,
    consoleOptions: ['pauseAt'],
    reply: { kind: 'events', schema: ExecutionEvent },
    errors: [400, 404, 409, 413, 415, 429],
  },
  sendEvent: {
    method: 'POST',
    path: '/events',
    action: 'event',
    group: 'execution',
    tag: 'Executions',
    summary:
      'Sends an event: resumes the executions that wait for it, starts workflows, and cancels executions',
    body: SendEventBody,
    reply: { kind: 'data', schema: EventResult },
    errors: [400, 413, 415],
  },
})
