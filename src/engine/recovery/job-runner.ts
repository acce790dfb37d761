import { isFinal } from '../../contract/is-final.ts'
import { isHookPath } from '../../contract/step-path.ts'
import { AppError } from '../../lib/errors.ts'
import type { Job, JobResult, JobServer, MachineStatus } from '../../store/dispatcher.ts'
import type { ExecutionHistory, ExecutionRow, StepRow } from '../../store/execution-store.ts'
import { NOBODY } from '../../store/queue-store.ts'
import { deliverLater } from '../events/accept-event.ts'
import { startByEvent } from '../events/event-starts.ts'
import { NOT_NEEDED, cancelWithChildren } from '../executions/cancel.ts'
import { NOTHING, readAndContinue } from '../executions/continue-suspended.ts'
import { runsRemotely } from '../executions/remote-executions.ts'
import { execute } from '../executions/execute.ts'
import type { CommandDeps } from '../executions/live-runs.ts'
import { resumeSuspendedParent, waitingParents } from '../executions/parent-child.ts'
import { timeOutExecution } from '../executions/time-out.ts'
import { resumedRow } from '../record/step-rows.ts'
import type { Run } from '../run/run.ts'
import type { Schedules } from '../schedules/schedules.ts'
import { logTakeOvers, takeOver } from './take-over.ts'
import type { TakeOverResult } from './take-over.ts'

/** Jobs that are done at the same time. */
const MAX_JOBS = 200
/** How often machines of other releases leave the work of a dead machine to those of its own, which may have no room. */
const OFFERS = 3
/** Executions that are recovered within this time are reported together, up to this number. */
const REPORT_MS = 1000
const REPORTED_TOGETHER = 1000

type JobOf<Kind extends Job['kind']> = Extract<Job, { kind: Kind }>

export interface JobDeps extends CommandDeps {
  /** The version of the package and the hash of the configuration. */
  readonly release: () => string
  /** Ends the records, apart from executions, that a process which has died left open. */
  readonly endOrphaned: () => Promise<void>
  /** Continues a run of an agent whose process has ended before its execution continued. */
  readonly continueAnswer: (id: string, from: number) => Promise<JobResult>
  /** Ends a suspended run of an agent whose time has come. */
  readonly expireAnswer: (id: string) => Promise<void>
}

/** Does the jobs of the dispatcher: continues executions, and starts them. */
export class JobRunner implements JobServer {
  readonly #deps: JobDeps
  readonly #schedules: Schedules
  #inProgress = 0
  /** Calls of `start` and `retry`, after which executions are reported whose workflow is missing. */
  #sweeps = 0
  /** Results since the last report. */
  #takeOvers = noTakeOvers()
  #report: NodeJS.Timeout | undefined
  #utilization = performance.eventLoopUtilization()
  #recovered: Promise<void> = Promise.resolve()

  constructor(deps: JobDeps, schedules: Schedules) {
    this.#deps = deps
    this.#schedules = schedules
  }

  /** Resolves when a job is stored for all that an earlier process left. */
  async start(): Promise<void> {
    const { dispatcher } = this.#deps.store
    // counted from the first job on, which may run before `serve` returns
    const serving = dispatcher.serve(this)
    this.#recovered = this.#sweep(() => serving.then(() => dispatcher.settled()))
    this.#recovered.catch(() => undefined)
    await serving
  }

  /** Resolves when the jobs that were due at the start have been handled. */
  recovered(): Promise<void> {
    return this.#recovered
  }

  retry(): Promise<void> {
    return this.#sweep(() => this.#deps.store.dispatcher.retry())
  }

  async run(job: Job, attempt: number): Promise<JobResult> {
    this.#inProgress++
    try {
      const work = this.#do(job, attempt)
      if (RECOVERING.has(job.kind)) this.#deps.runs.expectRecovery(work)
      return await work
    } catch (error) {
      // an outage is reported by the health of the database
      if (!this.#deps.store.health.problem) this.#logFailure(job, attempt, error)
      throw error
    } finally {
      this.#inProgress--
    }
  }

  room(): number {
    const { runs, store } = this.#deps
    return runs.stopping || store.health.problem ? 0 : MAX_JOBS - this.#inProgress
  }

  status(): MachineStatus {
    const before = this.#utilization
    this.#utilization = performance.eventLoopUtilization()
    const { utilization: load } = performance.eventLoopUtilization(this.#utilization, before)
    return { release: this.#deps.release(), load, executions: this.#deps.runs.count }
  }

  onDeath(ownerEpoch: number): void {
    const { hub } = this.#deps
    for (const topic of hub.topics()) hub.publish(topic)
    this.#deps.endOrphaned().catch((err: unknown) => {
      this.#deps.logger.error({ err, ownerEpoch }, 'The agent runs of a server process could not be ended')
    })
  }

  async #sweep(doJobs: () => Promise<void>): Promise<void> {
    this.#sweeps++
    try {
      await doJobs()
    } finally {
      this.#sweeps--
      this.#logTakeOvers()
    }
  }

  async #do(job: Job, attempt: number): Promise<JobResult> {
    switch (job.kind) {
      case 'continue':
        return this.#continue(job, attempt)
      case 'wake':
        return this.#wake(job)
      case 'admit':
        return this.#admit(job)
      case 'event':
        return deliverLater(this.#deps, job.id, { onCancelled: (id) => void this.#startNext(id) })
      case 'time-out':
        return this.#timeOut(job)
      case 'cancel-child':
        await cancelWithChildren(this.#deps, job.id, { reason: NOT_NEEDED })
        return 'done'
      case 'hooks':
        return startHooks(this.#deps, job.id)
      case 'begin':
        return this.#begin(job, attempt)
      case 'continue-run':
        if (await this.#isOfOthers(job, attempt)) return 'elsewhere'
        return this.#deps.continueAnswer(job.id, job.from)
      case 'expire':
        await this.#deps.expireAnswer(job.id)
        return 'done'
      case 'tick':
        return this.#schedules.tick(job)
    }
  }

  async #continue(job: JobOf<'continue'>, attempt: number): Promise<JobResult> {
    const { id, from } = job
    if (await this.#isOfOthers(job, attempt)) return 'elsewhere'
    const row = await this.#deps.store.executions.get(id)
    if (row?.status !== 'running' || row.ownerEpoch !== from) return 'done'
    if (attempt === 1 && (await this.#suitsOthers(row))) return 'later'
    const result = await takeOver(this.#deps, row)
    if (from !== NOBODY && (result === 'recovered' || this.#isReported(attempt))) this.#count(result)
    return RESULTS[result]
  }

  /** Whether a machine of the release in which it ran is alive, and can take it before this one does. */
  async #isOfOthers({ release }: JobOf<'continue' | 'continue-run'>, attempt: number): Promise<boolean> {
    if (!release || release === this.#deps.release() || attempt > OFFERS) return false
    const machines = await this.#deps.store.dispatcher.machines()
    return machines.some((machine) => machine.release === release)
  }

  /** Whether the workflow has changed since, and another machine, of another release, may still have it as it was. */
  async #suitsOthers({ workflowId, definitionHash }: ExecutionRow): Promise<boolean> {
    const { registry, release, store } = this.#deps
    const workflow = registry().find(workflowId)
    if (!workflow || workflow.hash === definitionHash) return false
    const machines = await store.dispatcher.machines()
    return machines.some((machine) => machine.release !== release())
  }

  async #wake({ id, sequence }: JobOf<'wake'>): Promise<JobResult> {
    const { runs, store } = this.#deps
    const run = runs.get(id) ?? runs.hooksOf(id)
    if (run) {
      run.wake()
      return 'done'
    }
    const history = await store.executions.history(id)
    if (history?.row.status === 'suspended') return this.#wakeSuspended(history, sequence)
    if (history?.row.status !== 'running' || history.lastSequence !== sequence) return 'done'
    const { row } = history
    // there it waits by its own timer
    if (await runsRemotely(this.#deps, row)) return 'done'
    return RESULTS[await takeOver(this.#deps, row)]
  }

  async #wakeSuspended(history: ExecutionHistory, sequence: number): Promise<JobResult> {
    const woken = await wakeSuspended(this.#deps, history.row.id)
    if (woken === 'nothing' && history.lastSequence === sequence)
      return (await resumeSuspendedParent(this.#deps, history)) ? 'done' : 'later'
    if (woken === 'no workflow') return 'elsewhere'
    return woken === 'not yet' ? 'later' : 'done'
  }

  async #timeOut({ id }: JobOf<'time-out'>): Promise<JobResult> {
    const ended = await timeOutExecution(this.#deps, id)
    if (ended === 'no workflow') return 'elsewhere'
    if (ended && ended !== 'compensating') void this.#startNext(id)
    return 'done'
  }

  async #admit({ workflowId }: JobOf<'admit'>): Promise<JobResult> {
    const { store, clock } = this.#deps
    await store.queue.admit(workflowId, clock.now())
    return 'done'
  }

  /** Starts the execution of a schedule that waits for this one. */
  async #startNext(executionId: string): Promise<void> {
    try {
      await this.#schedules.onEnded(executionId)
    } catch (err) {
      const text = 'The next execution of the schedule could not be started'
      this.#deps.logger.error({ err, executionId }, text)
    }
  }

  async #begin(job: JobOf<'begin'>, attempt: number): Promise<JobResult> {
    const { workflowId, executionId, input, event } = job
    const { logger, registry, runs } = this.#deps
    if (!registry().find(workflowId)) {
      if (this.#isReported(attempt))
        logger.warn(
          { executionId, workflowId },
          "The execution can't be started: the configuration has no workflow with this id",
        )
      return 'elsewhere'
    }
    if (event) return startByEvent(this.#deps, { ...job, event })
    try {
      const options = { executionId }
      const { stored } = await execute(this.#deps, workflowId, { input: JSON.parse(input), options })
      await stored()
      return 'done'
    } catch (error) {
      // it was begun before
      if (error instanceof AppError && error.code === 'conflict') return 'done'
      if (runs.stopping) return 'later'
      throw error
    }
  }

  #logFailure(job: Job, attempt: number, err: unknown): void {
    this.#deps.logger.error({ err, ...subjectOf(job), attempt }, FAILURES[job.kind])
  }

  /** A missing workflow is reported once for each configuration. */
  #isReported(attempt: number): boolean {
    return attempt === 1 || this.#sweeps > 0
  }

  #count(result: TakeOverResult): void {
    this.#takeOvers[result]++
    if (this.#takeOvers.recovered >= REPORTED_TOGETHER) this.#logTakeOvers()
    if (this.#sweeps === 0) this.#report ??= setTimeout(() => this.#logTakeOvers(), REPORT_MS).unref()
  }

  #logTakeOvers(): void {
    clearTimeout(this.#report)
    this.#report = undefined
    logTakeOvers(this.#deps.logger, this.#takeOvers)
    this.#takeOvers = noTakeOvers()
  }
}

/** Jobs that continue what may have ended the process. */
const RECOVERING: ReadonlySet<Job['kind']> = new Set(['continue', 'continue-run'])

const RESULTS = {
  recovered: 'done',
  'no workflow': 'elsewhere',
  'not now': 'later',
} as const satisfies Record<TakeOverResult, JobResult>

const FAILURES = {
  continue: 'The execution could not be recovered; this is tried again',
  wake: 'The execution could not be continued at its time; this is tried again',
  admit: 'Executions that wait for a slot could not be continued; this is tried again',
  event: 'The event could not be delivered; this is tried again',
  'time-out': 'The execution could not be ended at its timeout; this is tried again',
  'cancel-child': 'The child execution could not be cancelled; this is tried again',
  hooks: 'The hooks of the execution could not be run; this is tried again',
  begin: 'The execution could not be started; this is tried again',
  'continue-run': 'The run of an agent could not be continued; this is tried again',
  expire: 'The run of an agent could not be ended at its time; this is tried again',
  tick: 'A scheduled execution could not be started; this is tried again',
} as const satisfies Record<Job['kind'], string>

function subjectOf(job: Job): Readonly<Record<string, string>> {
  if (job.kind === 'expire' || job.kind === 'continue-run') return { runId: job.id }
  if (job.kind === 'tick') return { scheduleId: job.schedule }
  if (job.kind === 'admit') return { workflowId: job.workflowId }
  if (job.kind === 'event') return { eventId: job.id }
  return { executionId: job.kind === 'begin' ? job.executionId : job.id }
}

function noTakeOvers(): Record<TakeOverResult, number> {
  return { recovered: 0, 'no workflow': 0, 'not now': 0 }
}

/**
 * Runs the hooks of an execution that has ended, unless another process does. The job stays until their last change drops
 * it, so that another process finds it if this one ends.
 */
async function startHooks(deps: CommandDeps, id: string): Promise<JobResult> {
  const { runs, store } = deps
  if (runs.hooksOf(id)) return 'later'
  const history = await store.executions.history(id)
  if (!history) return 'done'
  const { row, steps } = history
  const { status: outcome } = row
  if (!isFinal(outcome)) return 'done'
  const isRunning = steps.some(({ path, status }) => isHookPath(path) && status === 'running')
  if (isRunning && row.ownerEpoch !== store.ownerEpoch && (await store.dispatcher.isAlive(row.ownerEpoch)))
    return 'later'
  if (!runs.hasRoomForHooks || runs.hooksOf(id)) return 'later'
  const hold = deps.hold()
  const workflow = hold.registry.find(row.workflowId)
  const hooks = workflow?.hooksAfter(outcome) ?? []
  if (!workflow || hooks.length === 0) {
    hold.release()
    return workflow ? 'done' : 'elsewhere'
  }
  runs.runHooks(history, hooks, { workflow, hold })
  return 'later'
}

/** `nothing`: it is not suspended. `not yet`: none of its suspended steps is due. */
type Woken = readonly Run[] | 'nothing' | 'not yet' | 'no workflow'

/** Continues a suspended execution with the steps whose time has come, and the parents that wait for it. */
async function wakeSuspended(deps: CommandDeps, id: string): Promise<Woken> {
  let reason: Exclude<Woken, readonly Run[]> = 'nothing'
  const runs = await readAndContinue(deps, async ({ registry }) => {
    const history = await deps.store.executions.history(id)
    if (history?.row.status !== 'suspended') return NOTHING
    const waiting = history.steps.filter(({ status, wakeAt }) => status === 'suspended' && wakeAt !== null)
    const due = waiting.filter(({ wakeAt }) => Number(wakeAt) <= deps.clock.now())
    const workflow = registry.find(history.row.workflowId)
    const [first] = due
    if (!first || !workflow) {
      if (waiting.length > 0) reason = workflow ? 'not yet' : 'no workflow'
      return NOTHING
    }
    const execution = { history, workflow, stepId: first.stepId, steps: due.map((step) => wokenRow(step)) }
    const parents = await waitingParents(deps, history.row, registry)
    return { executions: [execution, ...parents], resumption: { resumeData: null } }
  })
  return runs.length > 0 ? runs : reason
}

function wokenRow(step: StepRow): StepRow {
  return resumedRow(step, null, true)
}
