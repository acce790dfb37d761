import type { LinkedSuspension } from '../run/run-context.ts'
import { Decision } from '../../contract/access/decision.ts'
import type { Decider } from '../../contract/access/decision.ts'
import { AppError } from '../../lib/errors.ts'
import type { JsonSchema } from '../../lib/schema/schema.ts'
import type { ExecutionRow, StepRow } from '../../store/execution-store.ts'
import { isAtBreakpoint } from '../breakpoints/breakpoints.ts'
import type { StoredSuspension } from '../record/execution-events.ts'
import { openTo } from '../registry.ts'
import type { RegisteredWorkflow } from '../registry.ts'
import type { SuspendRequest } from '../run/step-task.ts'
import { refOf } from './find.ts'
import type { CommandDeps } from './live-runs.ts'

/** A suspension as the page of its link shows it. */
export interface ShownSuspension {
  readonly workflowName: string
  readonly reason: string
  readonly data: unknown
  /** Of the resume data; `undefined` when none is declared. */
  readonly schema: JsonSchema | undefined
}

/** The suspension of an execution to which a link can lead; `undefined` when it waits for no person. */
export async function linkedSuspension(
  { store, registry }: CommandDeps,
  { id: executionId, status, workflowId, suspension }: ExecutionRow,
  linkTtlMs: number,
): Promise<LinkedSuspension | undefined> {
  const workflow = registry().find(workflowId)
  if (status !== 'suspended' || suspension === null || !workflow) return undefined
  const { path, suspendedAt } = JSON.parse(suspension) as StoredSuspension
  const step = (await store.executions.steps(executionId)).find((one) => one.path === path)
  if (!step || !waitsForPerson(step, workflow)) return undefined
  const expiresAt = step.wakeAt ?? Date.parse(suspendedAt) + linkTtlMs
  return { executionId, path, resumes: step.resumes, expiresAt }
}

/** The suspension of a link, if it still waits and the link may resume it. */
export async function findLinked(
  { store, registry }: CommandDeps,
  { executionId, path, resumes }: LinkedSuspension,
  decider: Decider,
): Promise<ShownSuspension | undefined> {
  const history = await store.executions.history(executionId)
  const workflow = history && registry().find(history.row.workflowId)
  const step = history?.steps.find((one) => one.path === path)
  if (!history || !workflow || !step || step.resumes !== resumes) return undefined
  if (history.row.status !== 'suspended' || !waitsForPerson(step, workflow)) return undefined
  try {
    await Decision.decide(decider, { kind: 'execution', ...refOf(history.row) })
  } catch (error) {
    if (error instanceof AppError && (error.code === 'not_found' || error.code === 'forbidden'))
      return undefined
    throw error
  }
  const request = JSON.parse(step.suspendData ?? '{}') as Partial<SuspendRequest>
  const place = workflow.placeAt(path)
  const schema = place ? workflow.schemasOf(place.step).resume?.input : request.resumeSchema
  return {
    workflowName: history.row.workflowName,
    reason: request.reason ?? '',
    data: JSON.parse(request.data ?? 'null') as unknown,
    schema: (schema as JsonSchema | null | undefined) ?? undefined,
  }
}

/** Whether a suspended step waits for a person who fills in its form: not for a time, an event, an agent or a child. */
function waitsForPerson(step: StepRow, workflow: RegisteredWorkflow): boolean {
  const { status, childId, suspendData } = step
  const { run, approvedBy } = JSON.parse(suspendData ?? '{}') as Partial<SuspendRequest>
  return (
    status === 'suspended' &&
    childId === null &&
    run === undefined &&
    approvedBy === undefined &&
    !isAtBreakpoint(step) &&
    openTo(workflow, step) === undefined
  )
}
