import { CODE_DECIDES } from '../../contract/access/decision.ts'
import { stepIdAt } from '../../contract/step-path.ts'
import { WAIT_TYPES } from '../../contract/status.ts'
import { createDeferred } from '../../lib/async/wake-up.ts'
import { AppError } from '../../lib/errors.ts'
import { isFinal } from '../../contract/is-final.ts'
import { withIds } from '../../evals/keep/response-ids.ts'
import type { StoredSuspension } from '../../engine/record/execution-events.ts'
import type { ExecuteOptions } from '../../engine/executions/execute.ts'
import type { ExecutionHistory, ExecutionWrite, StepRow } from '../../store/execution-store.ts'
import type { RunnerClock } from '../../lib/runner-clock.ts'
import { CallOrder } from './call-order.ts'
import type { Findings } from './findings.ts'
import type { ProofEvent, ProofResume } from './given.ts'
import type { ProofOutcome } from './outcomes.ts'
import { MortalProcess } from './mortal-process.ts'
import type { ProcessDeps, WriteObserver } from './mortal-process.ts'
import { RecordedSteps, pointsAt } from './recorded-steps.ts'
import type { CrashPoint, Transition } from './recorded-steps.ts'
import type { SideEffects } from './side-effects.ts'

/** What every run is given. */
export interface RunGiven {
  readonly workflowId: string
  readonly input: unknown
  readonly options: ExecuteOptions
  readonly resume: ProofResume
  readonly events: readonly ProofEvent[]
}

export interface ProofRunDeps extends Omit<
  ProcessDeps,
  'observer' | 'onCall' | 'onLife' | 'newId' | 'clock'
> {
  readonly given: RunGiven
  readonly clock: RunnerClock
  readonly effects: SideEffects
  /** Resolves when nothing has happened in the run for too long. */
  readonly stalled: (since: () => number) => {
    readonly reached: Promise<'stalled'>
    readonly stop: () => void
  }
}

/** A step that waits, of the execution or of a child. */
interface Wait {
  readonly executionId: string
  readonly step: StepRow
}

/** One run of a workflow from its start to its end, with a crash at a point. */
export class ProofRun implements WriteObserver {
  readonly id: string
  /** Where it could have been crashed, each commit once. */
  readonly points: CrashPoint[] = []
  /** The ids and paths of the steps that have started. */
  readonly stepIds = new Set<string>()
  /** The resume data that were used: indices of the list, or ids. */
  readonly usedResume = new Set<string>()
  readonly sentEvents = new Set<ProofEvent>()
  /** `undefined`: it did not end. */
  outcome: ProofOutcome | undefined
  /** Nothing has happened in it for too long. */
  hangs = false
  readonly #deps: ProofRunDeps
  /** Where it is still to be crashed. */
  readonly #ahead: CrashPoint[]
  /** Where it was crashed last. */
  #point: CrashPoint | undefined
  readonly #findings: Findings
  readonly #isFirst: boolean
  readonly #steps = new RecordedSteps()
  readonly #order = new CallOrder()
  #ids = 0
  /** The outcome of the function in the pass that was crashed before its end. */
  #lost: ProofOutcome | undefined
  #process!: MortalProcess
  #changed = createDeferred<'changed'>()
  #activeAt = performance.now()
  readonly #dueEvents = new Set<ProofEvent>()

  /** @param points where it is crashed, one after the other */
  constructor(deps: ProofRunDeps, findings: Findings, points: readonly CrashPoint[] = []) {
    this.#deps = deps
    this.#findings = findings
    this.#ahead = [...points]
    this.#isFirst = points.length === 0
    this.id = `prove-${deps.given.workflowId}`
  }

  /** @throws what the engine throws for input and resume data that it refuses */
  async run(): Promise<void> {
    const { clock, effects } = this.#deps
    const findings = this.#findings
    findings.beginRun()
    effects.beginRun((repeated) => findings.add('repeatedWithoutKey', { point: this.#point, ...repeated }))
    try {
      await this.#start()
      await clock.wait(this.#drive())
      this.#check()
    } finally {
      await this.#process.kill()
      this.#deps.database.clear()
    }
  }

  active(): void {
    this.#activeAt = performance.now()
  }

  killAt(writes: readonly ExecutionWrite[]): 'before' | 'after' | undefined {
    const [point] = this.#ahead
    if (!point || !isReached(point, this.#steps.transitions(writes), this.#steps.commits)) return undefined
    this.#ahead.shift()
    this.#point = point
    this.#lost = this.#outcomeIn(writes)
    return point.isStored ? 'after' : 'before'
  }

  onStored(writes: readonly ExecutionWrite[], applied: Parameters<WriteObserver['onStored']>[1]): void {
    this.active()
    const transitions = this.#steps.transitions(writes)
    const commit = this.#steps.commits
    this.#steps.add(writes, applied)
    if (this.#isFirst) this.#addPoints(pointsAt(transitions, commit))
    for (const { path, to } of transitions) {
      this.stepIds.add(path).add(stepIdAt(path))
      if (to === 'end') this.#onStepEnd(path)
    }
    for (const { id, steps = [] } of writes)
      for (const { path, endedAt } of steps) if (endedAt) this.#order.ended(id, path)
    this.#change()
  }

  /** Those before the commit are the same, and those after it. */
  #addPoints(points: readonly CrashPoint[]): void {
    for (const isStored of [false, true]) {
      const first = points.find((point) => point.isStored === isStored)
      if (first) this.points.push(first)
    }
  }

  #onStepEnd(path: string): void {
    for (const event of this.#deps.given.events)
      if (event.after === path || event.after === stepIdAt(path)) this.#dueEvents.add(event)
  }

  #change(): void {
    const changed = this.#changed
    this.#changed = createDeferred()
    changed.resolve('changed')
  }

  async #start(): Promise<void> {
    const { effects, stalled: _, given: __, ...deps } = this.#deps
    this.#process = await MortalProcess.start({
      ...deps,
      newId: () => `00000000-0000-7000-8000-${(++this.#ids).toString(16).padStart(12, '0')}`,
      observer: this,
      onCall: (call) => {
        this.active()
        this.#order.made(call)
      },
      onLife: (life) => effects.add(life),
    })
  }

  async #drive(): Promise<void> {
    for (;;) {
      if (this.#process.life.isOver) await this.#start()
      const status = this.#steps.statusOf(this.id)
      if (status === undefined) await this.#orDeath(() => this.#execute())
      else if (this.#dueEvents.size > this.sentEvents.size) await this.#orDeath(() => this.#sendDue())
      else if (status === 'running') {
        if ((await this.#untilChanged()) === 'stalled') return this.#stalls()
      } else if (status === 'suspended') {
        const isOver = await this.#orDeath(() => this.#continue())
        if (isOver === 'over') return
      } else {
        const end = await this.#orDeath(() => this.#settle())
        if (end === 'stalled') return this.#stalls()
        if (end === 'settled') return
      }
    }
  }

  /** Does something in the process, unless that is killed meanwhile. */
  async #orDeath<T>(work: () => Promise<T>): Promise<T | 'ended'> {
    return Promise.race([this.#process.enter(work), this.#process.life.ended])
  }

  async #execute(): Promise<void> {
    const { workflowId, input, options } = this.#deps.given
    const started = await this.#process.engine.executions.execute(workflowId, input, {
      ...options,
      executionId: this.id,
    })
    await started.stored()
  }

  async #untilChanged(): Promise<'changed' | 'ended' | 'stalled'> {
    const { reached, stop } = this.#deps.stalled(() => this.#activeAt)
    try {
      return await Promise.race([this.#changed.promise, this.#process.life.ended, reached])
    } finally {
      stop()
    }
  }

  /** Waits for hooks, and for executions that the workflow has started. */
  async #settle(): Promise<'settled' | 'stalled'> {
    const { clock } = this.#deps
    this.outcome = await this.#storedOutcome()
    if (!this.#steps.hasHooks && !this.#steps.isRunning) return 'settled'
    const { reached, stop } = this.#deps.stalled(() => this.#activeAt)
    const settled = clock.advance(0).then(() => 'settled' as const)
    return Promise.race([settled, reached]).finally(stop)
  }

  async #storedOutcome(): Promise<ProofOutcome | undefined> {
    const row = await this.#process.store.executions.get(this.id)
    return row && outcomeOf(row)
  }

  #outcomeIn(writes: readonly ExecutionWrite[]): ProofOutcome | undefined {
    const set = writes.find(({ id }) => id === this.id)?.update?.set
    if (!set?.status || !isFinal(set.status)) return undefined
    return outcomeOf({ status: set.status, output: set.output ?? null, error: set.error ?? null })
  }

  // ---- what it waits for

  /** Gives a suspended execution what it waits for; `over` when that is not known. */
  async #continue(): Promise<'over' | undefined> {
    const history = await this.#history(this.id)
    if (!history || history.row.status !== 'suspended') return undefined
    const { misfits } = JSON.parse(history.row.suspension ?? '{}') as Partial<StoredSuspension>
    if (misfits) {
      for (const { stepId, reason } of misfits)
        this.#unstable(stepId, `"${stepId}": ${reason}. Take it from the input, or from a recorded call`)
      return 'over'
    }
    const waits = await this.#waits(history)
    const { events } = this.#deps.given
    for (const wait of waits) {
      const data = isForPerson(wait.step) ? await this.#resumeData(wait, waits) : undefined
      if (data) {
        await this.#resume(wait, data.value)
        return undefined
      }
      const event = events.find(
        (one) => !this.sentEvents.has(one) && one.after === undefined && awaits(wait.step, one),
      )
      if (event) {
        await this.#send(event)
        return undefined
      }
    }
    const { timesOutAt } = history.row
    const wakeAt = Math.min(timesOutAt ?? Infinity, ...waits.map(({ step }) => step.wakeAt ?? Infinity))
    if (wakeAt === Infinity) return this.#waitsForNothing(waits)
    const { clock } = this.#deps
    if (wakeAt > clock.now()) await clock.advance(wakeAt - clock.now())
    else if ((await this.#untilChanged()) === 'stalled') return this.#waitsForNothing(waits)
    return undefined
  }

  async #history(id: string): Promise<ExecutionHistory | undefined> {
    return this.#process.store.executions.history(id)
  }

  async #waits({ row, steps }: ExecutionHistory): Promise<Wait[]> {
    const found: Wait[] = []
    for (const step of steps) {
      if (step.status !== 'suspended') continue
      const child = step.childId === null ? undefined : await this.#history(step.childId)
      if (child?.row.status === 'suspended') found.push(...(await this.#waits(child)))
      else if (!steps.some(({ path, status }) => status === 'suspended' && path.startsWith(`${step.path}/`)))
        found.push({ executionId: row.id, step })
    }
    return found
  }

  /** The resume data for a step. What is stored decides which is the next of a list: a crash may have lost a resume. */
  async #resumeData(
    { step }: Wait,
    waits: readonly Wait[],
  ): Promise<{ readonly value: unknown } | undefined> {
    const { resume } = this.#deps.given
    const waiting = JSON.parse(step.suspendData ?? '{}') as { readonly data?: string | null }
    const withCalls = (value: unknown) => ({ value: withIds(value, JSON.parse(waiting.data ?? 'null')) })
    if (!Array.isArray(resume)) {
      const given = resume as Readonly<Record<string, unknown>>
      const id = [step.path, step.stepId].find((one) => Object.hasOwn(given, one))
      if (id === undefined) return undefined
      this.usedResume.add(id)
      return withCalls(given[id])
    }
    // the first that waits takes it
    if (waits.find((one) => isForPerson(one.step))?.step !== step) return undefined
    const next = await this.#resumes()
    if (next >= resume.length) return undefined
    this.usedResume.add(String(next))
    return withCalls(resume[next])
  }

  async #resumes(): Promise<number> {
    let count = 0
    for (const id of this.#steps.ids) {
      const history = await this.#history(id)
      for (const step of history?.steps ?? [])
        if (isForPerson(step)) count += step.resumes - (step.timedOut ? 1 : 0)
    }
    return count
  }

  async #resume({ executionId, step }: Wait, data: unknown): Promise<void> {
    const { executions } = this.#process.engine
    try {
      await executions.resume({ executionId }, data, { stepId: step.path, decider: CODE_DECIDES })
    } catch (error) {
      if (error instanceof AppError && RESUMED.has(error.code)) return
      if (error instanceof AppError && error.code === 'invalid_input')
        throw new AppError('invalid_input', `resume for "${step.stepId}": ${error.message}`, { cause: error })
      throw error
    }
  }

  async #sendDue(): Promise<void> {
    for (const event of this.#dueEvents) if (!this.sentEvents.has(event)) await this.#send(event)
  }

  /** With an id: one that is sent again after a crash counts once. */
  async #send(event: ProofEvent): Promise<void> {
    const { name, key, data } = event
    const id = `event-${this.#deps.given.events.indexOf(event)}`
    await this.#process.engine.executions.sendEvent({ name, key, data, id })
    this.#dueEvents.add(event)
    this.sentEvents.add(event)
  }

  // ---- what is found

  #waitsForNothing(waits: readonly Wait[]): 'over' {
    for (const { step } of waits) {
      const { stepId, event, eventKey } = step
      const key = eventKey === null ? '' : `, key: '${eventKey}'`
      const message =
        event === null
          ? `"${stepId}" waits for resume data, and there is none: give it in resume: { '${stepId}': … }`
          : `"${stepId}" waits for an event, and there is none: give it in events: [{ name: '${event}'${key}, data: … }]`
      this.#findings.add('unfinished', { point: this.#point, stepId, message })
    }
    return 'over'
  }

  #stalls(): void {
    this.hangs = true
    const stepId = [...this.stepIds].at(-1) ?? ''
    this.#findings.add('unfinished', {
      point: this.#point,
      stepId,
      message: `Nothing happens any more after "${stepId}": the code waits for a promise that nothing settles, such as one that a call settles which is not repeated. Wait for the result of the recorded call itself, and give calls a timeoutMs`,
    })
  }

  #unstable(stepId: string, message: string): void {
    this.#findings.add('unstableIds', { point: this.#point, stepId, message })
  }

  /** Compares what the passes have done. */
  #check(): void {
    const { outcome } = this
    if (!outcome) return
    if (outcome.error?.name === 'UnstableIdsError')
      this.#unstable(outcome.error.stepId ?? '', outcome.error.message)
    if (outcome.status === 'completed')
      for (const { stepId, message } of this.#order.unstable(this.#steps.cancelled))
        this.#unstable(stepId, message)
  }

  /** The outcome of the pass that was crashed before its end, which the next pass over the same record must have, too. */
  get lostOutcome(): ProofOutcome | undefined {
    return this.#lost
  }
}

/** A resume that a crash, or another resume, has made superfluous, or whose execution has failed since. */
const RESUMED: ReadonlySet<string> = new Set(['execution_failed', 'not_resumable', 'conflict'])

function isReached(point: CrashPoint, transitions: readonly Transition[], commit: number): boolean {
  if (point.anyPath) return commit === point.commit
  return transitions.some(
    ({ execution, path, to }) => execution === point.execution && path === point.path && to === point.to,
  )
}

function outcomeOf({
  status,
  output,
  error,
}: {
  readonly status: string
  readonly output: string | null
  readonly error: string | null
}): ProofOutcome {
  if (status === 'completed') return { status, result: JSON.parse(output ?? 'null') }
  if (error === null) return { status }
  const { name, message, stepId } = JSON.parse(error) as NonNullable<ProofOutcome['error']>
  return { status, error: { name, message, ...(stepId !== undefined && { stepId }) } }
}

/** Whether a step waits for a person, and not for a time or an event. */
function isForPerson({ type, event, childId, suspendData }: StepRow): boolean {
  return !WAIT_TYPES.has(type) && event === null && childId === null && suspendData !== null
}

function awaits({ event, eventKey }: StepRow, { name, key }: ProofEvent): boolean {
  return event === name && eventKey === (key ?? null)
}
