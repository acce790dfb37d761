import type { StepDescription, WorkflowDetail, WorkflowSummary } from '../contract/workflow.ts'
import { compileSchema } from '../lib/schema.ts'
import type { JsonSchema, Schema } from '../lib/schema.ts'
import type { StepDefinition } from './step.ts'
import type { WorkflowDefinition } from './workflow.ts'

/** A workflow as lists show it. */
export function summarise(workflow: WorkflowDefinition, running: boolean): WorkflowSummary {
  const { id, name, purpose, steps } = workflow
  return { id, name, purpose, stepsCount: steps.length, status: running ? 'running' : 'idle' }
}

/** A workflow with its steps, its schemas as JSON Schema. */
export function describeWorkflow(workflow: WorkflowDefinition, running: boolean): WorkflowDetail {
  return {
    ...summarise(workflow, running),
    steps: workflow.steps.map((step) => describeStep(step)),
    inputSchema: inputJson(workflow.inputSchema) ?? { type: 'object' },
    resultSchema: outputJson(workflow.resultSchema) ?? null,
    suspendSchema: inputJson(workflow.suspendSchema) ?? null,
    resumeSchema: inputJson(workflow.resumeSchema) ?? null,
  }
}

function describeStep(step: StepDefinition): StepDescription {
  const { id, name = id, type, purpose = '', agent, workflow, steps } = step
  const optional = {
    inputSchema: inputJson(step.inputSchema),
    outputSchema: outputJson(step.outputSchema),
    suspendSchema: inputJson(step.suspendSchema),
    resumeSchema: inputJson(step.resumeSchema),
    agentId: agent?.id,
    workflowId: workflow?.id,
    steps: steps.length > 0 ? steps.map((nested) => describeStep(nested)) : undefined,
  }
  const present = Object.entries(optional).filter(([, value]) => value !== undefined)
  return { id, name, type, purpose, ...Object.fromEntries(present) }
}

function inputJson(schema: Schema | undefined): JsonSchema | undefined {
  return schema && compileSchema(schema).input
}

function outputJson(schema: Schema | undefined): JsonSchema | undefined {
  return schema && compileSchema(schema).output
}
