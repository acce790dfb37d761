import { byWhom } from '../../contract/access/decision.ts'
import { idOfUser } from '../../contract/access/user-key.ts'
import type { AcceptedChanges } from '../../contract/event.ts'
import { toIso } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { openGoneSteps } from '../run/misfits.ts'
import { toJson } from '../../lib/json/to-json.ts'
import type { ExecutionHistory, StepRow } from '../../store/execution-store.ts'
import { storedPauseAt } from '../breakpoints/breakpoints.ts'
import { workflowResumed } from '../record/execution-events.ts'
import { isStored } from '../record/commit.ts'
import type { RegisteredWorkflow } from '../registry.ts'
import type { Run } from '../run/run.ts'
import type { GenerationHold } from '../registry.ts'
import type { Resumption } from './live-runs.ts'
import { logCommand } from '../record/log-command.ts'
import type { CommandDeps } from './live-runs.ts'
import { shuttingDown } from './live-runs.ts'

/** A suspended execution that is to continue. */
export interface Continuable {
  readonly history: ExecutionHistory
  readonly workflow: RegisteredWorkflow
  readonly stepId: string
  /** The new rows of the suspended steps that continue; without any, the step has not started. */
  readonly steps?: readonly StepRow[]
  /** Replaced the data of the step that waited at a breakpoint; JSON text. */
  readonly data?: string | undefined
}

/**
 * Continues suspended executions by compare-and-set: a child and the parents that wait for it, in one write.
 * Returns `undefined` when another call changed one of them after it was read; none continues then. Each run
 * releases its part of the hold.
 */
function continueSuspended(
  deps: CommandDeps,
  executions: ToContinue['executions'],
  options: ContinueOptions,
): Promise<readonly Run[] | undefined> {
  const continuing = storeAndLaunch(deps, executions, options)
  deps.runs.announce(
    executions.map(({ history }) => history.row.id),
    continuing,
  )
  return continuing
}

async function storeAndLaunch(
  { runs, logger, clock }: CommandDeps,
  executions: ToContinue['executions'],
  { hold, resumption }: ContinueOptions,
): Promise<readonly Run[] | undefined> {
  if (runs.stopping) throw shuttingDown()
  const { pause, accepts = [], ...kept } = resumption
  const { user, as: resumedAs, over: resumedOver, resumeData } = kept
  const resumer = { resumedBy: idOfUser(user), resumedAs, resumedOver }
  const resumedUser = user ? toJson(user, 'user') : null
  const accepted = JSON.stringify({
    at: toIso(clock.now()),
    by: resumer.resumedBy,
    as: resumedAs,
    over: resumedOver,
  } satisfies AcceptedChanges)
  const gone: StepRow[] = []
  const records = executions.map(({ history, workflow }) => {
    const { row } = history
    const pauseAt = pause?.executionId === row.id ? storedPauseAt(workflow, pause.pauseAt) : row.pauseAt
    const acceptedChanges = accepts.includes(row.id) ? accepted : row.acceptedChanges
    return runs.acquire({ ...history, row: { ...row, resumedUser, pauseAt, acceptedChanges } })
  })
  const [first] = records
  for (const [index, record] of records.entries()) {
    if (first && record !== first) record.storeWith(first)
    const { steps = [], stepId, workflow, data } = executions[index] as Continuable
    const { queue } = workflow
    if (queue) record.slots.enter({ limits: queue.limits, slot: queue.slotOf(record.row), starts: false })
    const { pauseAt, acceptedChanges } = record.row
    const acceptChanges = accepts.includes(record.id)
    record.stage({
      set: { status: 'running', suspension: null, resumedUser, pauseAt, acceptedChanges },
      events: [workflowResumed(stepId, { resumeData, resumer, data, acceptChanges })],
    })
    for (const step of steps) record.stage({ step })
    for (const step of acceptChanges ? openGoneSteps(record.steps.values(), workflow) : []) {
      record.stage({ step: { ...step, status: 'cancelled', wakeAt: null, endedAt: record.now() } })
      gone.push(step)
    }
  }
  if (!first || !isStored(await first.commit())) return undefined
  runs.endStarted(gone, 'The step that started it is gone from the code')
  const shared = share(hold, records.length)
  // all in this turn: a child that ends at once finds its parents running
  return records.map((record, index) => {
    const { workflow } = executions[index] as Continuable
    if (workflow.kind === 'workflow')
      logCommand(
        logger,
        record.row,
        `Execution resumed${byWhom(resumer.resumedBy, resumedAs, resumedOver)}`,
        resumer,
      )
    return runs.continue(record, { workflow, hold: shared, resumption: kept })
  })
}

interface ToContinue {
  readonly executions: readonly Continuable[]
  readonly resumption: Resumption
}

interface ContinueOptions extends Pick<ToContinue, 'resumption'> {
  readonly hold: GenerationHold
}

/** Nothing is suspended. */
export const NOTHING: ToContinue = { executions: [], resumption: { resumeData: null } }

/** How often executions are read again that another call changed in the meantime. */
const ATTEMPTS = 5

/**
 * Reads suspended executions and continues them. Of what other calls change in the meantime, all is read again.
 * Returns no runs when `read` finds none.
 *
 * @throws AppError `conflict` when other calls keep changing them; `unavailable` when the server stops.
 */
export async function readAndContinue(
  deps: CommandDeps,
  read: (hold: GenerationHold) => Promise<ToContinue>,
): Promise<readonly Run[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const hold = deps.hold()
    let runs: readonly Run[] | undefined
    try {
      const { executions, resumption } = await read(hold)
      if (executions.length === 0) return []
      runs = await continueSuspended(deps, executions, { hold, resumption })
    } finally {
      if (!runs) hold.release()
    }
    if (runs) return runs
  }
  throw new AppError('conflict', 'The execution is being changed by other requests; try again')
}

/** A hold for a number of runs: the generation is released when all of them have ended. */
function share(hold: GenerationHold, count: number): GenerationHold {
  let left = count
  return {
    registry: hold.registry,
    release: () => {
      if (--left === 0) hold.release()
    },
  }
}
