import { z } from 'zod'
import { endpoints } from '../endpoint.ts'
import { ExecutionEvent, ExecutionResult } from '../event.ts'
import { Id, Instant, JsonObject, JsonSchemaDocument, RequiredJson, WorkflowParams } from '../fields.ts'
import { StepType, WorkflowStatus } from '../status.ts'

export const WorkflowSummary = z
  .object({
    id: z.string(),
    name: z.string(),
    purpose: z.string(),
    stepsCount: z.int(),
    status: WorkflowStatus,
  })
  .meta({ id: 'WorkflowSummary' })
export type WorkflowSummary = z.infer<typeof WorkflowSummary>

const RetryPolicy = z.object({
  limit: z.int().describe('Retries after the first attempt'),
  delayMs: z.number().describe('Before the first retry'),
  factor: z.number().describe('What each further delay is multiplied by'),
  maxDelayMs: z.number(),
  jitter: z.number().describe('Share of the delay that is random, 0 to 1'),
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
    retries: RetryPolicy.optional().describe('On steps that are tried again when they fail'),
    timeoutMs: z.number().optional().describe('The longest one attempt may take'),
    agentId: z.string().optional(),
    workflowId: z.string().optional(),
    get steps() {
      return z.array(StepDescription).optional()
    },
  })
  .meta({ id: 'StepDescription' })
export type StepDescription = z.infer<typeof StepDescription>

export const WorkflowDetail = WorkflowSummary.extend({
  steps: z.array(StepDescription),
  inputSchema: JsonSchemaDocument,
  resultSchema: JsonSchemaDocument.nullable(),
  suspendSchema: JsonSchemaDocument.nullable(),
  resumeSchema: JsonSchemaDocument.nullable(),
}).meta({ id: 'WorkflowDetail' })
export type WorkflowDetail = z.infer<typeof WorkflowDetail>

export const ExecuteBody = z
  .object({
    input: RequiredJson.describe(
      "Checked by the workflow's input schema; an object unless that says otherwise",
    ),
    options: z
      .object({
        userId: z.string().max(256).optional().describe('User the execution is tracked under'),
        conversationId: z.string().max(256).optional(),
        executionId: Id.optional().describe('An id of your own; answered with 409 when it is taken'),
        context: JsonObject.optional().describe('Further data, handed to every step'),
      })
      .optional(),
  })
  .meta({ id: 'ExecuteBody' })

export const ExecutionStarted = z.object({
  executionId: z.string(),
  status: z.literal('running'),
  startAt: Instant,
})

const execute = {
  method: 'POST',
  group: 'execution',
  tag: 'Workflows',
  params: WorkflowParams,
  headers: z.object({
    prefer: z.string().optional().describe('`respond-async` answers 202 at once, with the execution id'),
  }),
  body: ExecuteBody,
  reply: { kind: 'data', schema: ExecutionResult, accepted: ExecutionStarted },
  errors: [400, 404, 409, 413, 415],
} as const

export const workflowEndpoints = endpoints({
  listWorkflows: {
    method: 'GET',
    path: '/workflows',
    group: 'management',
    tag: 'Workflows',
    summary: 'List workflows',
    reply: { kind: 'data', schema: z.array(WorkflowSummary) },
    errors: [],
  },
  getWorkflow: {
    method: 'GET',
    path: '/workflows/:id',
    group: 'management',
    tag: 'Workflows',
    summary: 'A workflow with its steps and schemas',
    params: WorkflowParams,
    reply: { kind: 'data', schema: WorkflowDetail },
    errors: [400, 404],
  },
  executeWorkflow: {
    ...execute,
    path: '/workflows/:id/execute',
    summary: 'Run a workflow and wait for it to end or suspend',
  },
  runWorkflow: { ...execute, path: '/workflows/:id/run', summary: 'The same as execute' },
  streamWorkflow: {
    method: 'POST',
    path: '/workflows/:id/stream',
    group: 'execution',
    tag: 'Workflows',
    summary: 'Run a workflow and stream its events; the last is workflow-result',
    params: WorkflowParams,
    body: ExecuteBody,
    reply: { kind: 'events', schema: ExecutionEvent },
    errors: [400, 404, 409, 413, 415],
  },
})
