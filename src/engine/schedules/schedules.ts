import { RECENT_RUNS } from '../../contract/endpoints/schedule.ts'
import type { LastRun, ScheduleDetail } from '../../contract/endpoints/schedule.ts'
import type { ExecutionStarted } from '../../contract/endpoints/workflow.ts'
import { toIso } from '../../lib/clock.ts'
import { AppError, messageOf } from '../../lib/errors.ts'
import type { JobResult } from '../../store/dispatcher.ts'
import type { ScheduleRow } from '../../store/schedule-store.ts'
import { nextInstants } from '../../workflow/schedule/instants.ts'
import type { Schedule } from '../../workflow/schedule/schedule.ts'
import { requireDatabase } from '../database-outage.ts'
import type { CommandDeps } from '../executions/live-runs.ts'
import { changeSchedule, dropJobs, jobsOf, scheduleIdOf, waitingJob } from './schedule-state.ts'
import { InputError, startScheduled } from './start-at.ts'
import { tick } from './tick.ts'

/** Instants that a schedule shows. */
const SHOWN_INSTANTS = 5

/** The schedules of the configuration, and their state in the database. */
export class Schedules {
  readonly #deps: CommandDeps
  readonly #enabled: boolean
  #startedAt = 0

  constructor(deps: CommandDeps, { enabled }: { readonly enabled: boolean }) {
    this.#deps = deps
    this.#enabled = enabled
  }

  /** Stores jobs for the schedules of the configuration, as `update` does. To be called before jobs are done. */
  async start(): Promise<void> {
    if (this.#startedAt === 0) this.#startedAt = this.#deps.clock.now()
    await this.update()
  }

  /**
   * The configuration is new: stores jobs for new schedules and for those with other instants, and forgets those that it
   * does not have.
   */
  async update(): Promise<void> {
    if (!this.#enabled) return
    const { store, registry } = this.#deps
    const { schedules } = registry()
    const rows = new Map((await store.schedules.list()).map((row) => [row.id, row]))
    for (const schedule of schedules)
      if (rows.get(schedule.id)?.rule !== schedule.rule) await this.#adopt(schedule)
    const declared = new Set(schedules.map(({ id }) => id))
    for (const id of rows.keys()) if (!declared.has(id)) await store.schedules.delete(id, dropJobs(id))
  }

  async list(): Promise<ScheduleDetail[]> {
    const rows = new Map((await this.#deps.store.schedules.list()).map((row) => [row.id, row]))
    return Promise.all(
      this.#deps.registry().schedules.map((schedule) => this.#describe(schedule, rows.get(schedule.id))),
    )
  }

  /** @throws AppError `not_found` */
  async get(id: string): Promise<ScheduleDetail> {
    const schedule = this.#deps.registry().schedule(id)
    return this.#describe(schedule, await this.#deps.store.schedules.get(id))
  }

  /** @throws AppError `not_found` */
  async pause(id: string): Promise<ScheduleDetail> {
    const schedule = this.#find(id)
    await changeSchedule(this.#deps.store, id, () => ({
      set: { paused: true, nextAt: null, rule: schedule.rule },
      jobs: dropJobs(id),
    }))
    this.#deps.logger.info({ scheduleId: id }, 'Schedule paused')
    return this.get(id)
  }

  /** Goes on with the first instant from now. @throws AppError `not_found` */
  async resume(id: string): Promise<ScheduleDetail> {
    const { rule, instants } = this.#find(id)
    await changeSchedule(this.#deps.store, id, ({ revision, paused, waiting }) => {
      if (revision > 0 && !paused) return undefined
      const nextAt = instants.next(this.#deps.clock.now()) ?? null
      return { set: { paused: false, nextAt, rule }, jobs: jobsOf(id, nextAt, waiting) }
    })
    this.#deps.logger.info({ scheduleId: id }, 'Schedule resumed')
    return this.get(id)
  }

  /**
   * Starts an execution now, also of a paused schedule.
   *
   * @throws AppError `not_found`; `invalid_input` when the schedule chooses no valid input.
   */
  async trigger(id: string): Promise<ExecutionStarted> {
    const schedule = this.#find(id)
    const at = this.#deps.clock.now()
    try {
      const { executionId, startAt, stored } = await startScheduled(this.#deps, id, { at })
      await stored()
      const set = { lastExecutionId: executionId, lastAt: at }
      await changeSchedule(this.#deps.store, id, ({ revision }) => ({
        set: revision === 0 ? { ...set, paused: schedule.paused } : set,
      }))
      this.#deps.logger.info({ scheduleId: id, executionId }, 'Schedule triggered')
      return { executionId, status: 'running', startAt }
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      throw new AppError('invalid_input', `Schedule ${id}: ${messageOf(error.cause)}`, { cause: error.cause })
    }
  }

  /** Does the job of an instant. */
  async tick(job: { readonly schedule: string; readonly at: number | null }): Promise<JobResult> {
    if (!this.#enabled || this.#deps.runs.stopping) return 'later'
    return tick({ ...this.#deps, startedAt: this.#startedAt }, job)
  }

  /** An execution has ended: the next one of its schedule may wait for that. */
  onEnded(executionId: string): Promise<void> | undefined {
    const id = scheduleIdOf(executionId)
    return id === undefined ? undefined : this.#startWaiting(id)
  }

  async #startWaiting(id: string): Promise<void> {
    const { runs, registry, store } = this.#deps
    if (runs.stopping || !registry().findSchedule(id)) return
    const row = await store.schedules.get(id)
    if (row && row.waiting.length > 0 && !row.paused) await store.dispatcher.change({ add: [waitingJob(id)] })
  }

  #find(id: string): Schedule {
    requireDatabase(this.#deps.store)
    return this.#deps.registry().schedule(id)
  }

  async #adopt({ id, rule, instants, paused: pausedAtFirst }: Schedule): Promise<void> {
    const { store, clock } = this.#deps
    await changeSchedule(store, id, (row) => {
      if (row.rule === rule) return undefined
      const paused = row.revision === 0 || row.rule === '' ? pausedAtFirst : row.paused
      // an instant of the rule before that is due now is not lost
      const after = Math.min(clock.now(), (row.nextAt ?? Infinity) - 1)
      const nextAt = paused ? null : (instants.next(after) ?? null)
      return { set: { rule, paused, nextAt }, jobs: paused ? dropJobs(id) : jobsOf(id, nextAt, row.waiting) }
    })
  }

  async #describe(schedule: Schedule, row: ScheduleRow | undefined): Promise<ScheduleDetail> {
    const { id, cron, every, timezone, workflow, overlap, catchUp, instants } = schedule
    const paused = row?.paused ?? schedule.paused
    const { executions } = this.#deps.store
    const recent = await executions.heads({ scheduleId: id }, { limit: RECENT_RUNS, offset: 0 })
    const next = paused ? [] : nextInstants(instants, this.#deps.clock.now(), SHOWN_INSTANTS)
    return {
      id,
      workflowId: workflow.id,
      ...(cron !== undefined && { cron }),
      ...(every !== undefined && { every }),
      timezone,
      overlap,
      catchUp,
      paused,
      next: next.map(toIso),
      waiting: row?.waiting.length ?? 0,
      lastRun: row ? await this.#lastRun(row) : null,
      recentRuns: recent.map(({ id: executionId, status, createdAt }) => ({
        executionId,
        status,
        createdAt: toIso(createdAt),
      })),
    }
  }

  async #lastRun({ id, lastExecutionId, lastAt }: ScheduleRow): Promise<LastRun | null> {
    if (lastExecutionId === null || lastAt === null) return null
    const { executions } = this.#deps.store
    const execution = await executions.get(lastExecutionId)
    const run = { executionId: lastExecutionId, scheduledAt: toIso(lastAt) }
    if (execution && execution.scheduleId !== id) {
      const error = `Not started: something else made the execution ${lastExecutionId}`
      return { ...run, status: null, endedAt: null, error }
    }
    return {
      ...run,
      status: execution?.status ?? null,
      endedAt: execution && execution.endedAt !== null ? toIso(execution.endedAt) : null,
    }
  }
}
