import { CHANGED_CODE } from '../../contract/changed-code.ts'
import type { Misfit } from '../../contract/event.ts'
import { LOOPS, compensatedPath, isHookPath, isInRound, outerPath } from '../../contract/step-path.ts'
import { formatIssues } from '../../lib/schema/schema.ts'
import type { StepRow } from '../../store/execution-store.ts'
import type { StepDefinition } from '../../workflow/definition.ts'
import type { PlacedStep } from '../../workflow/rules.ts'
import type { RegisteredWorkflow } from '../registry.ts'
import type { DurableRecord } from '../record/execution-record.ts'
import { SuspendSignal } from './errors.ts'
import { recordedPath } from './recorded-path.ts'

/**
 * Before the steps of a chain continue: whether their record fits it. Nothing runs otherwise, so that a renamed step does not
 * run again, and none that was inserted is left out.
 *
 * @throws SuspendSignal with the misfits
 */
export async function checkFits(record: RecordOfSteps, workflow: RegisteredWorkflow): Promise<void> {
  const { steps, row } = record
  if (row.acceptedChanges !== null) return
  const misfits = await chainMisfits(record, workflow)
  if (misfits.length === 0) return
  const place = nextStep(steps, workflow)?.place ?? lastPlace(workflow)
  if (place) throw changedCode(place, misfits)
}

/** The execution waits until its record fits the code, before the step at `place`. */
export function changedCode(place: PlacedStep, misfits: readonly Misfit[]): SuspendSignal {
  const request = { reason: CHANGED_CODE, data: null, resumeSchema: null, misfits }
  return new SuspendSignal(place, request, { external: true })
}

/** What is recorded of an execution, its steps by their paths. */
export type RecordOfSteps = Pick<DurableRecord, 'steps' | 'row'>

/** Where the record of an execution does not fit the chain of its workflow. */
export async function chainMisfits(
  { steps, row }: RecordOfSteps,
  workflow: RegisteredWorkflow,
): Promise<readonly Misfit[]> {
  const changed = workflow.hash === row.definitionHash ? [] : changedSteps(steps, workflow)
  return [...changed, ...(await misfitOfData(nextStep(steps, workflow)))]
}

/** Steps that are gone, are of another kind, or are new before others that are recorded. */
function changedSteps(steps: ReadonlyMap<string, StepRow>, workflow: RegisteredWorkflow): Misfit[] {
  const inserted = chainsOf(steps, workflow).flatMap((chain) => insertedIn(steps, chain))
  const newNames = inserted.map(({ stepId }) => stepId)
  const gone = [...steps.values()].filter(
    ({ path, status }) =>
      status !== 'cancelled' && isGone(path, workflow) && !isGone(outerPath(path), workflow),
  )
  const changed = [...steps.values()].flatMap(({ path, stepId, type }) => {
    const place = workflow.placeAt(path)
    return place && place.step.type !== type
      ? [{ stepId, reason: `it was recorded by ${type}, and is an ${place.step.type} now` }]
      : []
  })
  return [
    ...gone.map(({ stepId }) => ({
      stepId,
      reason: `it is recorded, and gone (was: '${stepId}' if ${newNames.length === 1 ? `"${newNames[0]}"` : 'a step'} is the same under another id)`,
    })),
    ...inserted,
    ...changed,
  ]
}

/** Steps that run one after the other, at paths within another step or at the top level. */
interface Chain {
  readonly steps: readonly StepDefinition[]
  readonly within?: string | undefined
}

/** The chain of a workflow, and those of its groups that do not run in rounds. */
function chainsOf(steps: ReadonlyMap<string, StepRow>, workflow: RegisteredWorkflow): Chain[] {
  const groups = [...workflow.placeById.values()].flatMap(({ step, path }): Chain[] => {
    if (LOOPS.has(step.type) || isInRound(path)) return []
    const within = [path, ...workflow.formerPathsOf(step)].find((one) => steps.has(one)) ?? path
    return step.steps.flatMap((group) => (group.type === 'group' ? [{ steps: group.steps, within }] : []))
  })
  return [{ steps: workflow.definition.steps }, ...groups]
}

function insertedIn(steps: ReadonlyMap<string, StepRow>, { steps: chain, within }: Chain): Misfit[] {
  const isRecorded = chain.map((step) => steps.has(recordedPath(steps, step, within)))
  const last = isRecorded.lastIndexOf(true)
  return chain.flatMap(({ id }, index) =>
    index < last && !isRecorded[index]
      ? [{ stepId: id, reason: `it is new, before "${chain[last]?.id ?? ''}", which is recorded` }]
      : [],
  )
}

/** The steps of an execution that have not ended, and are gone from its chain. */
export function openGoneSteps(steps: Iterable<StepRow>, workflow: RegisteredWorkflow): StepRow[] {
  return [...steps].filter(({ path, endedAt }) => endedAt === null && isGone(path, workflow))
}

function isGone(path: string, workflow: RegisteredWorkflow): boolean {
  return (
    path !== '' &&
    !isHookPath(path) &&
    compensatedPath(path) === undefined &&
    !workflow.placeAt(path) &&
    !workflow.hasCallsAt(path)
  )
}

interface NextStep {
  readonly place: PlacedStep
  /** What it gets, JSON text; undefined when it has got it. */
  readonly data: string | null | undefined
  readonly schema: ReturnType<RegisteredWorkflow['schemasOf']>['input']
}

/** The first step that has not ended. */
function nextStep(steps: ReadonlyMap<string, StepRow>, workflow: RegisteredWorkflow): NextStep | undefined {
  let before: StepRow | undefined
  for (const [index, step] of workflow.definition.steps.entries()) {
    const path = recordedPath(steps, step)
    const row = steps.get(path)
    if (row && row.endedAt !== null) {
      before = row
      continue
    }
    // one whose attempt was interrupted has got it
    const data = row ? (row.attempts === 0 ? row.input : undefined) : (before?.output ?? before?.input)
    return { place: { step, path, index }, data, schema: workflow.schemasOf(step).input }
  }
  return undefined
}

/** The recorded result of a step must fit the `inputSchema` of the next one. */
async function misfitOfData(next: NextStep | undefined): Promise<Misfit[]> {
  if (!next?.schema || typeof next.data !== 'string') return []
  const checked = await next.schema.validate(JSON.parse(next.data))
  if (checked.ok) return []
  const { id } = next.place.step
  const issues = formatIssues(checked.issues, 'data')
  return [{ stepId: id, reason: `the recorded result before it does not fit its inputSchema: ${issues}` }]
}

function lastPlace({ definition: { steps } }: RegisteredWorkflow): PlacedStep | undefined {
  const step = steps.at(-1)
  return step && { step, path: step.id, index: steps.length - 1 }
}

/** Describes misfits in one line. */
export function misfitText(misfits: readonly Misfit[]): string {
  return misfits.map(({ stepId, reason }) => `step "${stepId}": ${reason}`).join('; ')
}
