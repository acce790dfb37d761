import type { StepType } from '../contract/status.ts'
import type { StepDescription, WorkflowDetail, WorkflowSummary } from '../contract/endpoints/workflow.ts'
import { examplesIn } from '../contract/schema-examples.ts'
import { HOOKS } from '../contract/step-path.ts'
import { parseDuration } from '../lib/duration.ts'
import { compileSchema } from '../lib/schema/schema.ts'
import type { JsonSchema, Schema } from '../lib/schema/schema.ts'
import { nameOfEvent } from '../step/define-event.ts'
import { retryPolicy } from '../step/retry.ts'
import type { Retries } from '../step/retry.ts'
import type { CancelTrigger, EventTrigger } from './event-triggers.ts'
import { callsOf } from './calls.ts'
import { FUNCTION_ID } from './definition.ts'
import type { StepDefinition, WorkflowDefinition } from './definition.ts'

/** Step kinds that run user code, which may fail and be retried. */
const RUN_CODE: ReadonlySet<StepType> = new Set(['andThen', 'andTap', 'andAgent'])

interface WorkflowState {
  /** Whether an execution of it runs. */
  readonly running: boolean
  /** Whether requests can start it. */
  readonly served: boolean
}

/** A workflow as in the list of workflows. */
export function summarise(workflow: WorkflowDefinition, { running, served }: WorkflowState): WorkflowSummary {
  const { id, name, purpose, steps } = workflow
  const stepsCount = workflow.run ? 1 : steps.length
  const calls = callsOf(workflow)
  const [agents, workflows] = [idsOf(calls.agents), idsOf(calls.workflows)]
  return {
    id,
    name,
    purpose,
    stepsCount,
    status: running ? 'running' : 'idle',
    served,
    ...(agents && { agents }),
    ...(workflows && { workflows }),
  }
}

/** Ids without duplicates; `undefined` when there are none. */
function idsOf(called: readonly { readonly id: string }[]): string[] | undefined {
  return called.length === 0 ? undefined : [...new Set(called.map(({ id }) => id))]
}

/** A workflow with its steps, and its schemas as JSON Schema. */
export function describeWorkflow(workflow: WorkflowDefinition, state: WorkflowState): WorkflowDetail {
  return {
    ...summarise(workflow, state),
    steps: workflow.run
      ? [{ id: FUNCTION_ID, name: workflow.name, type: 'function', purpose: workflow.purpose }]
      : workflow.steps.map((step) => describeStep(step, workflow.retries)),
    inputSchema: inputSchemaOf(workflow),
    resultSchema: outputJson(workflow.resultSchema) ?? null,
    suspendSchema: inputJson(workflow.suspendSchema) ?? null,
    resumeSchema: inputJson(workflow.resumeSchema) ?? null,
    ...describeTriggers(workflow),
    ...(workflow.startedBy && { startedBy: workflow.startedBy }),
    ...(workflow.resumableBy && { resumableBy: workflow.resumableBy }),
  }
}

function describeTriggers({
  on,
  cancelOn,
  debounce,
  onError,
  onEnd,
}: WorkflowDefinition): Pick<WorkflowDetail, 'on' | 'cancelOn' | 'debounce' | 'hooks'> {
  const declared = Object.entries({ onError, onEnd }).filter(([, hook]) => hook !== undefined)
  const hooks = HOOKS.filter((name) => declared.some(([own]) => own === name))
  return {
    ...(on && {
      on: on.map((trigger) => ({ ...describeTrigger(trigger), ...(trigger.filter && { filters: true }) })),
    }),
    ...(cancelOn && { cancelOn: cancelOn.map((trigger) => describeTrigger(trigger)) }),
    ...(debounce && {
      debounce: { perMs: parseDuration(debounce.per) ?? 0, ...(debounce.key && { computesKey: true }) },
    }),
    ...(hooks.length > 0 && { hooks }),
  }
}

function describeTrigger({ event, key }: EventTrigger<never, unknown> | CancelTrigger<never>) {
  return {
    event: nameOfEvent(event),
    ...(typeof key === 'string' && { key }),
    ...(typeof key === 'function' && { computesKey: true as const }),
  }
}

/** `retries` is the workflow's default for steps without their own. */
function describeStep(step: StepDefinition, retries: Retries | undefined): StepDescription {
  const {
    id,
    type,
    name = type === 'group' ? 'group' : id,
    purpose = '',
    agent,
    workflow,
    steps,
    timeoutMs,
  } = step
  const policy = RUN_CODE.has(type) ? retryPolicy(step.retries ?? retries) : undefined
  const optional = {
    inputSchema: inputJson(step.inputSchema),
    outputSchema: outputJson(step.outputSchema),
    suspendSchema: inputJson(step.suspendSchema),
    resumeSchema: inputJson(step.resumeSchema),
    retries: policy && policy.limit > 0 ? policy : undefined,
    timeoutMs,
    agentId: agent?.id,
    workflowId: workflow?.id,
    hasCompensation: step.compensate && true,
    steps:
      steps.length > 0
        ? steps.map((nested, index) => ({
            ...describeStep(nested, retries),
            ...(type === 'andTry' && index === 1 && { catches: true as const }),
          }))
        : undefined,
  }
  const present = Object.entries(optional).filter(([, value]) => value !== undefined)
  return { id, name, type, purpose, ...Object.fromEntries(present) }
}

/** The JSON Schema of the input, with the examples of the workflow before its own. */
export function inputSchemaOf({ inputSchema, examples = [] }: WorkflowDefinition): JsonSchema {
  const schema: JsonSchema = inputJson(inputSchema) ?? { type: 'object' }
  return examples.length === 0 ? schema : { ...schema, examples: [...examples, ...examplesIn(schema)] }
}

function inputJson(schema: Schema | undefined): JsonSchema | undefined {
  return schema && compileSchema(schema).input
}

function outputJson(schema: Schema | undefined): JsonSchema | undefined {
  return schema && compileSchema(schema).output
}
