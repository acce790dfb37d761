import { pino } from 'pino'
import { CODE_DECIDES } from '../../../src/contract/access/decision.ts'
import type { Agent } from '../../../src/agent/agent.ts'
import type { CancelResult } from '../../../src/contract/endpoints/end-results.ts'
import type { Executions } from '../../../src/engine/executions/executions.ts'
import type { ExecutionResult } from '../../../src/contract/event.ts'
import type { ExecutionDetail, StepRecord } from '../../../src/contract/endpoints/execution.ts'
import { Engine } from '../../../src/engine/engine.ts'
import type { EngineOptions } from '../../../src/engine/engine.ts'
import { createRedactor } from '../../../src/lib/redact/redactor.ts'
import type { ExecuteOptions, StartedExecution } from '../../../src/engine/executions/execute.ts'
import { Registry } from '../../../src/engine/registry.ts'
import { ClockCheck } from '../../../src/lib/clock-check.ts'
import { uuidV7Generator } from '../../../src/lib/ids.ts'
import { shortPaths } from '../../../src/lib/files/short-paths.ts'
import type { Store } from '../../../src/store/store.ts'
import type { WorkflowDefinition } from '../../../src/workflow/definition.ts'
import type { EndHook } from '../../../src/workflow/hooks.ts'
import type { Schedule } from '../../../src/workflow/schedule/schedule.ts'
import { TestClock } from '../../support/test-clock.ts'
import { until } from '../../support/until.ts'
import { FaultyStore } from './faulty-store.ts'

/** The store that the engine is tested on. */
export interface EngineBackend {
  /** Opens the database of that name as its owner, or creates it empty. */
  connect(database: string): Promise<Store>
}

export type ProcessOptions = Partial<
  Pick<
    EngineOptions,
    | 'suspendWaitMs'
    | 'cancelWaitMs'
    | 'resultBytes'
    | 'maxItems'
    | 'maxCalls'
    | 'maxQueued'
    | 'retention'
    | 'release'
    | 'runsSchedules'
    | 'eventsMs'
    | 'mayReceive'
    | 'mayStart'
    | 'linkTo'
    | 'meter'
    | 'trialMs'
  >
> & {
  readonly stacks?: boolean
  readonly agents?: readonly Agent[]
  readonly schedules?: readonly Schedule[]
  readonly onExecutionEnd?: EndHook
}

export interface LogLine {
  readonly level: number
  readonly msg: string
  readonly [key: string]: unknown
}

/** An event as a stream sends it, without the fields that differ from run to run. */
export interface SeenEvent {
  readonly type: string
  readonly from?: string
  readonly [key: string]: unknown
}

interface ProcessParts {
  readonly backend: EngineBackend
  readonly database: string
  readonly workflows: readonly WorkflowDefinition[]
  readonly options: ProcessOptions
  readonly clock: TestClock
}

/** An engine with its own connection to the database, as in a process of its own. */
export class EngineProcess {
  readonly engine: Engine
  readonly store: FaultyStore
  readonly logs: LogLine[] = []
  /** The number of registries that runs hold. */
  holds = 0
  readonly #parts: ProcessParts
  #registry: Registry

  private constructor(store: Store, parts: ProcessParts) {
    const { stacks = false, agents = [], schedules = [], onExecutionEnd, ...options } = parts.options
    this.#parts = parts
    this.#registry = new Registry(parts.workflows, agents, schedules, { onExecutionEnd })
    this.store = new FaultyStore(store)
    const logger = pino(
      { level: 'info' },
      { write: (line) => void this.logs.push(JSON.parse(line) as LogLine) },
    )
    const { clock } = parts
    this.engine = new Engine({
      store: this.store,
      clock,
      clockCheck: new ClockCheck({ clock, logger, newestRecordAt: () => store.newestRecordAt }),
      newId: uuidV7Generator(),
      logger,
      projectDir: process.cwd(),
      errors: {
        shorten: shortPaths(process.cwd()),
        stacks,
        redact: createRedactor().text,
        locate: () => undefined,
      },
      retention: { days: 30, count: 100_000 },
      evalRetention: { days: 30, count: 100_000 },
      resultBytes: 1_000_000,
      maxItems: 10_000,
      maxCalls: 10_000,
      eventsMs: 3_600_000,
      suspendWaitMs: 60_000,
      trialMs: 40,
      registry: () => this.#registry,
      hold: () => this.#hold(),
      ...options,
    })
  }

  static async start(parts: Omit<ProcessParts, 'clock'> & Partial<ProcessParts>): Promise<EngineProcess> {
    const store = await parts.backend.connect(parts.database)
    const process = new EngineProcess(store, { clock: new TestClock(), ...parts })
    await process.engine.start()
    await process.engine.recovered()
    return process
  }

  /** The clock of this process and those that come after it on the same database. */
  get clock(): TestClock {
    return this.#parts.clock
  }

  /** The workflows in service. */
  get registry(): Registry {
    return this.#registry
  }

  /** Replaces the workflows, as a reload of the configuration does. */
  reload(workflows: readonly WorkflowDefinition[], schedules: readonly Schedule[] = []): void {
    this.#registry = new Registry(workflows, [], schedules)
  }

  /** Starts an execution and waits until it is stored. */
  async startExecution(
    workflowId: string,
    input: unknown = {},
    options: ExecuteOptions = {},
  ): Promise<StartedExecution> {
    const started = await this.engine.executions.execute(workflowId, input, options)
    await started.stored()
    return started
  }

  /** Runs a workflow until it completes, suspends or is cancelled. */
  async execute(
    workflowId: string,
    input: unknown = {},
    options: ExecuteOptions = {},
  ): Promise<ExecutionResult> {
    return (await this.startExecution(workflowId, input, options)).result()
  }

  /** Runs a workflow that fails, and returns its record. */
  async executeFailing(workflowId: string, input: unknown = {}): Promise<ExecutionDetail> {
    const started = await this.startExecution(workflowId, input)
    const failure = await started.result().then(
      ({ status }) => Promise.reject(new Error(`It did not fail: ${status}`)),
      (error: unknown) => error as { code?: string },
    )
    if (failure.code !== 'execution_failed') throw failure as Error
    return this.detail(started.executionId)
  }

  resume(executionId: string, resumeData?: unknown, stepId?: string): Promise<ExecutionResult> {
    return this.engine.executions.resume({ executionId }, resumeData, { stepId, decider: CODE_DECIDES })
  }

  /** Resumes an execution with the code as it is, also where its record does not fit it. */
  acceptChanges(executionId: string, resumeData?: unknown): Promise<ExecutionResult> {
    const options = { acceptChanges: true, decider: CODE_DECIDES }
    return this.engine.executions.resume({ executionId }, resumeData, options)
  }

  /** Cancels an execution, and waits for its end. */
  async cancel(
    executionId: string,
    reason?: string,
    by: Parameters<Executions['cancel']>[2] = {},
  ): Promise<CancelResult> {
    const result = await this.engine.executions.cancel({ executionId }, reason, by)
    if (result.status !== 'cancelled') throw new Error('Its compensations have not ended')
    return result
  }

  async detail(executionId: string): Promise<ExecutionDetail> {
    return this.engine.queries.detail(await this.engine.executions.find({ executionId }))
  }

  async status(executionId: string): Promise<string> {
    return (await this.engine.executions.find({ executionId })).status
  }

  async step(executionId: string, path: string): Promise<StepRecord | undefined> {
    return (await this.detail(executionId)).steps.find((step) => step.path === path)
  }

  /** Waits until the record has a step, whatever its status. */
  async reached(executionId: string, path: string): Promise<void> {
    await until(() => this.step(executionId, path), `${path} of ${executionId}`)
  }

  /** Waits until the record has a step with a status. */
  async recorded(executionId: string, path: string, status: StepRecord['status']): Promise<void> {
    const isRecorded = async () => (await this.step(executionId, path))?.status === status
    await until(isRecorded, `${path} of ${executionId} to be ${status}`)
  }

  /** Each step as `<path> <status> <attempts>`. */
  async steps(executionId: string): Promise<string[]> {
    const { steps } = await this.detail(executionId)
    return steps.map(({ path, status, attempts }) => `${path} ${status} ${attempts}`)
  }

  async events(executionId: string): Promise<SeenEvent[]> {
    const rows = await this.store.executions.events(executionId, { after: 0, limit: 10_000 })
    return rows.map(({ data }) => {
      const { timestamp: _, executionId: __, durationMs: ___, ...event } = JSON.parse(data) as SeenEvent
      return event
    })
  }

  /** Each event as `<type> <step>`. */
  async story(executionId: string): Promise<string[]> {
    return (await this.events(executionId)).map(({ type, from }) =>
      from === undefined ? type : `${type} ${from}`,
    )
  }

  async children(executionId: string): Promise<string[]> {
    const { steps } = await this.detail(executionId)
    return steps.flatMap(({ childExecutionId }) => childExecutionId ?? [])
  }

  /** Waits until an execution has started a child, and returns its id. */
  child(executionId: string): Promise<string> {
    return until(async () => (await this.children(executionId))[0], `the child of ${executionId}`)
  }

  /** Ends without writing anything more, as after SIGKILL. */
  crash(): Promise<void> {
    return this.store.die()
  }

  async stop(graceMs = 1000): Promise<void> {
    await this.engine.stop({ graceMs })
    await this.store.close()
  }

  /** Stops the engine at the end of its test. */
  async dispose(): Promise<void> {
    if (this.store.dead) return
    this.store.recover()
    await this.stop(0)
  }

  /** Starts the process that comes after this one on the same database. */
  next(workflows = this.#parts.workflows): Promise<EngineProcess> {
    return EngineProcess.start({ ...this.#parts, workflows })
  }

  #hold() {
    this.holds++
    let held = true
    return {
      registry: this.#registry,
      release: () => {
        if (held) this.holds--
        held = false
      },
    }
  }
}
