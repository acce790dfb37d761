import { wrapSchema } from '../../agent/answer/wrapped-schema.ts'
import { AppError } from '../../lib/errors.ts'
import { compileSchema } from '../../lib/schema/schema.ts'
import type { JsonSchema, Schema } from '../../lib/schema/schema.ts'
import { usesMember } from '../../lib/uses-member.ts'
import type { WorkflowDefinition } from '../../workflow/definition.ts'
import { inputSchemaOf } from '../../workflow/describe.ts'
import { placedSteps } from '../../workflow/rules.ts'
import { withChildren } from '../../workflow/with-children.ts'
import { resumeToolName, workflowToolName } from '../tool-name.ts'
import { asObject } from './served-tool.ts'
import type { ObjectSchema, ResumeRequest, ServedTool } from './served-tool.ts'

/** The tools of a workflow: `run_<id>`, and `resume_<id>` if it may suspend. */
export function workflowTools(workflow: WorkflowDefinition): ServedTool[] {
  return suspendingSteps(workflow).length > 0
    ? [runTool(workflow), resumeTool(workflow)]
    : [runTool(workflow)]
}

/** The names of {@link workflowTools}. */
export function workflowToolNames(workflow: WorkflowDefinition): string[] {
  const { id } = workflow
  return suspendingSteps(workflow).length > 0
    ? [workflowToolName(id), resumeToolName(id)]
    : [workflowToolName(id)]
}

/** Whether a step of the workflow, or of one that it runs, is resumed with data that has a schema. */
export function hasResumeSchema(workflow: WorkflowDefinition): boolean {
  return suspendingSteps(workflow).some(
    ({ resumeSchema, makesCalls }) => makesCalls || resumeSchema !== undefined,
  )
}

interface SuspendingStep {
  readonly resumeSchema: Schema | undefined
  /** Recorded calls in it may wait, for data that is not known before. */
  readonly makesCalls: boolean
}

/** The steps that may suspend, of a workflow and the workflows it runs. */
function suspendingSteps(workflow: WorkflowDefinition): SuspendingStep[] {
  return withChildren([workflow]).flatMap((one) => {
    const { run, resumeSchema: common } = one
    if (run) return usesMember(run, 0, ['step']) ? [{ resumeSchema: common, makesCalls: true }] : []
    return placedSteps(one).flatMap(({ step }) => {
      const { maySuspend = false, makesCalls = false, suspendSchema, resumeSchema } = step
      return maySuspend || makesCalls || suspendSchema !== undefined || resumeSchema !== undefined
        ? [{ resumeSchema: resumeSchema ?? common, makesCalls }]
        : []
    })
  })
}

function runTool(workflow: WorkflowDefinition): ServedTool {
  const { id, name, purpose } = workflow
  const { schema, unwrap } = wrapSchema(inputSchemaOf(workflow))
  return {
    name: workflowToolName(id),
    title: name,
    description: purpose === '' ? `Runs the workflow "${name}"` : purpose,
    inputSchema: asObject(schema),
    call: (input, calls, client) => calls.workflow(workflow, unwrap(input), client),
    startTask: (input, { tasks }) => tasks.workflow(workflow, unwrap(input)),
  }
}

function resumeTool(workflow: WorkflowDefinition): ServedTool {
  const { id, name } = workflow
  return {
    name: resumeToolName(id),
    title: `Resume: ${name}`,
    description: `Resumes an execution that ${workflowToolName(id)} returned with the status "suspended"`,
    inputSchema: resumeInput(suspendingSteps(workflow)),
    call: async (input, calls, client) => calls.resume(workflow, readResumeRequest(input), client),
  }
}

/**
 * The server validates resume data by the schema of the suspended step; the input allows those of all steps, and anything
 * when those of recorded calls are not known.
 */
function resumeInput(steps: readonly SuspendingStep[]): ObjectSchema {
  const place = '#/properties/resumeData'
  const mayBeAnything = steps.some(({ makesCalls }) => makesCalls)
  const isRequired = !mayBeAnything && steps.every(({ resumeSchema }) => resumeSchema !== undefined)
  const schemas = schemasOf(steps)
  const [only, ...others] = schemas
  const resumeData = () => {
    if (!only || mayBeAnything) return { description: 'Data for the suspended step' }
    if (others.length === 0) return relocated(only, place)
    return { anyOf: schemas.map((schema, index) => relocated(schema, `${place}/anyOf/${index}`)) }
  }
  return {
    type: 'object',
    properties: {
      executionId: { type: 'string', description: 'Id of the suspended execution' },
      resumeData: resumeData(),
      stepId: {
        type: 'string',
        description: 'When several steps wait: the id or the path of the one to resume',
      },
    },
    required: isRequired ? ['executionId', 'resumeData'] : ['executionId'],
    additionalProperties: false,
  }
}

/** The different resume schemas of steps. */
function schemasOf(steps: readonly SuspendingStep[]): JsonSchema[] {
  const texts = steps.flatMap(({ resumeSchema }) =>
    resumeSchema === undefined ? [] : [JSON.stringify(compileSchema(resumeSchema).input)],
  )
  return [...new Set(texts)].map((text) => JSON.parse(text) as JsonSchema)
}

/** A schema whose references to its root hold at another place of a document. */
function relocated(schema: JsonSchema, place: string): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' ? value.replace(/^#/, place) : value,
  ) as JsonSchema
}

function readResumeRequest(input: unknown): ResumeRequest {
  const { executionId, resumeData, stepId } = input as Record<string, unknown>
  if (typeof executionId !== 'string')
    throw new AppError('invalid_input', 'input.executionId: must be a string')
  if (stepId !== undefined && typeof stepId !== 'string')
    throw new AppError('invalid_input', 'input.stepId: must be a string')
  return { executionId, resumeData, stepId }
}
