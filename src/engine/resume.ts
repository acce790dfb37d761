import { AppError } from '../lib/errors.ts'
import { toJson } from '../lib/json.ts'
import { formatIssues } from '../lib/schema.ts'
import type { CompiledSchema } from '../lib/schema.ts'
import type { ExecutionRow, Store } from '../store/store.ts'
import type { EmbeddedHost } from './hosts/embedded/embedded-host.ts'
import { resumedRow } from './hosts/embedded/step-rows.ts'
import type { RegisteredWorkflow, Registry } from './registry.ts'
import type { StoredSuspension } from './result.ts'

interface ResumeRequest {
  readonly resumeData: unknown
  readonly stepId?: string | undefined
}

interface ResumeContext {
  readonly store: Store
  readonly host: EmbeddedHost
  readonly registry: () => Registry
  readonly warn: (text: string) => void
}

/**
 * Resumes a suspended execution; of many callers at once one succeeds. Where it waits for a child execution,
 * the child is what is resumed, and its parents go on with it.
 */
export async function resumeExecution(
  row: ExecutionRow,
  request: ResumeRequest,
  context: ResumeContext,
): Promise<void> {
  if (row.status !== 'suspended' || row.suspension === null) throw notSuspended(row.id)
  const suspension = JSON.parse(row.suspension) as StoredSuspension
  const { stepId, path } = suspension
  if (request.stepId !== undefined && request.stepId !== stepId)
    throw new AppError(
      'invalid_input',
      `options.stepId: the suspended step is "${stepId}", not "${request.stepId}"`,
    )
  const workflow = currentWorkflow(row, suspension, context)
  const step = (await context.store.executions.steps(row.id)).find((one) => one.path === path)
  if (step?.childId) return resumeChild(row, step.childId, { request, context })
  const asked = step?.status === 'suspended'
  const data = asked ? await checkedData(request.resumeData, schemaAt(workflow, path)) : null
  const run = await context.host.revive(row, {
    stepId,
    resumeData: data,
    ...(asked && { step: resumedRow(step, data) }),
  })
  if (!run) throw notSuspended(row.id)
}

async function resumeChild(
  row: ExecutionRow,
  childId: string,
  { request, context }: { request: ResumeRequest; context: ResumeContext },
): Promise<void> {
  const child = await context.store.executions.get(childId)
  if (child?.status === 'suspended') {
    return resumeExecution(child, { resumeData: request.resumeData }, context)
  }
  await context.host.wakeParent(childId, row.id)
}

function currentWorkflow(
  row: ExecutionRow,
  { stepId, path }: StoredSuspension,
  { registry, warn }: ResumeContext,
): RegisteredWorkflow {
  const workflow = registry().find(row.workflowId)
  if (!workflow)
    throw new AppError(
      'conflict',
      `The workflow "${row.workflowId}" is gone since the execution was suspended`,
    )
  if (!workflow.placeByPath.has(path))
    throw new AppError(
      'conflict',
      `The step "${stepId}" is gone from the workflow since the execution was suspended`,
    )
  if (workflow.hash !== row.definitionHash)
    warn(`Execution ${row.id} goes on with a workflow whose steps changed since it started`)
  return workflow
}

function schemaAt(workflow: RegisteredWorkflow, path: string): CompiledSchema | undefined {
  const place = workflow.placeByPath.get(path)
  return place && workflow.schemasOf(place.step).resume
}

async function checkedData(resumeData: unknown, schema: CompiledSchema | undefined): Promise<string | null> {
  if (!schema) return resumeData === undefined ? null : toJson(resumeData, 'resumeData')
  const checked = await schema.validate(resumeData)
  if (checked.ok) return toJson(checked.value, 'resumeData')
  throw new AppError(
    'invalid_input',
    `Resume data validation failed: ${formatIssues(checked.issues, 'resumeData')}`,
  )
}

function notSuspended(id: string): AppError {
  return new AppError('not_resumable', `Execution not found or not suspended: ${id}`)
}
