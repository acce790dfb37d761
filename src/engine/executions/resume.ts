import { AppError } from '../../lib/errors.ts'
import { toJson } from '../../lib/json/index.ts'
import { formatIssues } from '../../lib/schema/schema.ts'
import type { CompiledSchema } from '../../lib/schema/schema.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import type { Store } from '../../store/store.ts'
import type { EmbeddedHost } from './embedded-host.ts'
import { resumedRow } from '../record/step-rows.ts'
import type { RegisteredWorkflow, Registry } from '../registry.ts'
import type { StoredSuspension } from '../record/execution-events.ts'

interface ResumeRequest {
  readonly resumeData: unknown
  readonly stepId?: string | undefined
  readonly trace?: TraceScope | undefined
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
  { id }: ExecutionRow,
  request: ResumeRequest,
  context: ResumeContext,
): Promise<void> {
  if (!(await resumed(id, request, context)))
    throw new AppError('not_resumable', `Execution not found or not suspended: ${id}`)
}

/** `false` when it is not suspended, or somebody else was first. */
async function resumed(id: string, request: ResumeRequest, context: ResumeContext): Promise<boolean> {
  const { executions } = context.store
  // read before the row: whoever resumes it meanwhile has added an event, and may have suspended it again
  const sequence = await executions.lastSequence(id)
  const row = await executions.get(id)
  if (row?.status !== 'suspended' || row.suspension === null) return false
  const suspension = JSON.parse(row.suspension) as StoredSuspension
  const { stepId, path } = suspension
  if (request.stepId !== undefined && request.stepId !== stepId)
    throw new AppError(
      'invalid_input',
      `options.stepId: the suspended step is "${stepId}", not "${request.stepId}"`,
    )
  const workflow = currentWorkflow(row, suspension, context)
  const step = (await executions.steps(id)).find((one) => one.path === path)
  if (step?.childId) return resumedChild(id, step.childId, { request, context })
  const asked = step?.status === 'suspended'
  const data = asked ? await checkedData(request.resumeData, schemaAt(workflow, path)) : null
  const revival = {
    stepId,
    sequence,
    resumeData: data,
    trace: request.trace,
    ...(asked && { step: resumedRow(step, data) }),
  }
  return (await context.host.resume(row, revival)) !== undefined
}

async function resumedChild(
  id: string,
  childId: string,
  { request, context }: { request: ResumeRequest; context: ResumeContext },
): Promise<boolean> {
  const child = await context.store.executions.get(childId)
  if (child?.status === 'suspended')
    return resumed(childId, { resumeData: request.resumeData, trace: request.trace }, context)
  // a child that runs was resumed by somebody else; one that has ended may have left its parent waiting
  return (
    child?.status !== 'running' &&
    context.host.resumeParent({ id: childId, parentId: id }, { trace: request.trace })
  )
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
