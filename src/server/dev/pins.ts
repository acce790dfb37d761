import type { Logger } from 'pino'
import { CODE_DECIDES } from '../../contract/access/decision.ts'
import type { Pin } from '../../contract/endpoints/project/pins.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Registry } from '../../engine/registry.ts'
import type { PinBoard } from '../../http/services.ts'
import { createDeferred } from '../../lib/async/wake-up.ts'
import { delay } from '../../lib/clock.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError, messageOf } from '../../lib/errors.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import { PinFile } from './pin-file.ts'
import type { StoredPin } from './pin-file.ts'
import { failedStepOf, goneProblem, pinRecord } from './pin-record.ts'

/** The pins of a server that is being created. */
export type ServedPins = PinBoard & Pick<Pins, 'connect'>

export interface PinsOptions {
  /** The project's directory, absolute. */
  readonly root: string
  readonly clock: Clock
  readonly logger: Pick<Logger, 'warn' | 'error'>
  /** Called with each pin that has run again. */
  readonly onReplayed: (pin: Pin) => void
}

/** The parts of the server that pins need. */
export interface PinnedServer {
  /** @throws AppError `unavailable` while no configuration is loaded or the server is stopping. */
  readonly current: () => { readonly engine: Engine; readonly registry: Registry }
  /** Notifies the consoles. */
  readonly publish: () => void
}

const MAX_PINS = 20
/** How long a replay may continue when a newer save waits, in milliseconds. */
const GRACE_MS = 1000

/**
 * Executions whose step runs again, as a replay, whenever the project was saved and loaded. One replay runs at a time.
 * Of saves in quick succession only the last one counts, and a replay that takes long is cancelled for it.
 */
export class Pins implements PinBoard {
  readonly #options: PinsOptions
  readonly #file: PinFile
  readonly #pins: Map<string, StoredPin>
  /** Why pins could not run again, by execution. */
  readonly #problems = new Map<string, string>()
  #server: PinnedServer | undefined
  /** The number of saves. */
  #saves = 0
  /** Resolves at the next save, or when the server stops. */
  #nextSave = createDeferred<void>()
  #isReplaying = false
  #isClosed = false

  constructor(options: PinsOptions) {
    this.#options = options
    this.#file = new PinFile(options.root, options.logger)
    this.#pins = new Map(this.#file.read().map((pin) => [pin.executionId, pin]))
  }

  /** Called once, by the server. */
  connect(server: PinnedServer): void {
    this.#server = server
  }

  async list(): Promise<readonly Pin[]> {
    return Promise.all([...this.#pins.values()].map((pin) => this.#record(pin)))
  }

  async pin(executionId: string, wanted?: string): Promise<Pin> {
    const { engine } = this.#current()
    const row = await engine.executions.find({ executionId })
    const { steps } = await engine.queries.detail(row)
    const stepId = wanted ?? failedStepOf(row) ?? steps[0]?.stepId
    if (stepId === undefined || !steps.some((step) => step.stepId === stepId || step.path === stepId))
      throw new AppError(
        'invalid_input',
        stepId === undefined
          ? 'The execution has not started a step that could run again'
          : `stepId: the execution did not reach the step "${stepId}"`,
      )
    if (this.#pins.size >= MAX_PINS && !this.#pins.has(executionId))
      throw new AppError(
        'conflict',
        `${MAX_PINS} executions are pinned, which is the maximum: unpin one first`,
      )
    const { workflowId, workflowName } = row
    const pin: StoredPin = {
      executionId,
      workflowId,
      workflowName,
      stepId,
      pinnedAt: this.#options.clock.now(),
    }
    this.#problems.delete(executionId)
    this.#change(pin)
    return this.#record(pin)
  }

  /** @throws AppError `not_found` */
  async unpin(executionId: string): Promise<void> {
    if (!this.#pins.delete(executionId))
      throw new AppError('not_found', `Execution is not pinned: ${executionId}`)
    this.#problems.delete(executionId)
    this.#store()
  }

  /** Runs the pinned steps again: a save was loaded. */
  saved(): void {
    this.#saves++
    this.#notifySaved()
    if (!this.#isReplaying) void this.#replayAll()
  }

  /** Starts no more replays. */
  close(): void {
    this.#isClosed = true
    this.#notifySaved()
  }

  #notifySaved(): void {
    this.#nextSave.resolve()
    this.#nextSave = createDeferred()
  }

  async #replayAll(): Promise<void> {
    this.#isReplaying = true
    try {
      for (let done = 0; done !== this.#saves && !this.#isClosed;) {
        done = this.#saves
        const { promise } = this.#nextSave
        // a change of the map meanwhile, such as an unpin, is seen
        for (const { executionId } of this.#pins.values())
          if (done === this.#saves && !this.#isClosed) await this.#replay(executionId, promise)
      }
    } catch (err) {
      if (!this.#isClosed) this.#options.logger.error({ err }, 'The pinned executions could not run again')
    } finally {
      this.#isReplaying = false
    }
  }

  async #replay(executionId: string, nextSave: Promise<void>): Promise<void> {
    const pin = this.#pins.get(executionId)
    // unpinned in the meantime
    if (!pin) return
    try {
      const isSettled = await this.#runAgain(pin, nextSave)
      if (!isSettled || this.#isClosed) return
    } catch (error) {
      if (this.#isClosed) return
      this.#problems.set(executionId, messageOf(error))
      if (!(error instanceof AppError))
        this.#options.logger.error({ err: error, executionId }, 'The pinned execution could not run again')
    }
    const current = this.#pins.get(executionId)
    if (!current) return
    this.#server?.publish()
    this.#options.onReplayed(await this.#record(current))
  }

  /** Resolves with whether the replay has settled; it is cancelled when a newer save does not want to wait for it. */
  async #runAgain(pin: StoredPin, nextSave: Promise<void>): Promise<boolean> {
    const { engine, registry } = this.#current()
    const { executionId, stepId, workflowId } = pin
    const problem = await goneProblem(pin, { engine, registry })
    if (problem !== undefined) throw new AppError('not_found', problem)
    const comparedId = await this.#comparedWith(engine, pin)
    await endReplay(engine, pin)
    const started = await engine.executions.replay({ executionId, workflowId }, stepId, {
      pinned: true,
      decider: CODE_DECIDES,
    })
    await started.stored()
    const replayId = started.executionId
    this.#problems.delete(executionId)
    if (this.#pins.has(executionId)) this.#change({ ...pin, replayId, ...(comparedId && { comparedId }) })
    const settled = started.result().then(
      () => true,
      (error: unknown) => isFailure(error),
    )
    const isSettled = await Promise.race([settled, this.#superseded(nextSave)])
    if (isSettled || this.#isClosed) return isSettled
    const cancelled = engine.executions.cancel({ executionId: replayId }, 'The project was saved again')
    // it has ended just now
    await cancelled.catch(() => undefined)
    return false
  }

  /** Resolves a while after a newer save, or when the server stops. */
  async #superseded(nextSave: Promise<void>): Promise<false> {
    await nextSave
    if (!this.#isClosed) await delay(GRACE_MS, new AbortController().signal)
    return false
  }

  /** The newest completed execution of a pin: its last replay, one before it, or the pinned execution. */
  async #comparedWith(engine: Engine, pin: StoredPin): Promise<string | undefined> {
    for (const id of [pin.replayId, pin.comparedId, pin.executionId])
      if (id !== undefined && (await rowOf(engine, id))?.status === 'completed') return id
    return undefined
  }

  async #record(pin: StoredPin): Promise<Pin> {
    const { engine, registry } = this.#current()
    const problem = await goneProblem(pin, { engine, registry })
    const replay = pin.replayId === undefined ? undefined : await rowOf(engine, pin.replayId)
    return pinRecord(pin, { replay, gone: problem, problem: problem ?? this.#problems.get(pin.executionId) })
  }

  #change(pin: StoredPin): void {
    this.#pins.set(pin.executionId, pin)
    this.#store()
  }

  #store(): void {
    this.#file.write([...this.#pins.values()])
    this.#server?.publish()
  }

  #current(): ReturnType<PinnedServer['current']> {
    if (!this.#server) throw new AppError('unavailable', 'Not ready')
    return this.#server.current()
  }
}

/** Cancels the last replay of a pin if it waits for something, so that waiting replays don't pile up. */
async function endReplay(engine: Engine, { replayId }: StoredPin): Promise<void> {
  const replay = replayId === undefined ? undefined : await rowOf(engine, replayId)
  if (replay?.status === 'suspended')
    await engine.executions.cancel({ executionId: replay.id }, 'The project was saved again')
}

/** Whether the workflow failed: anything else is a problem of the server. */
function isFailure(error: unknown): boolean {
  if (error instanceof AppError && error.code === 'execution_failed') return true
  throw error
}

function rowOf(engine: Engine, executionId: string): Promise<ExecutionRow | undefined> {
  return engine.executions.find({ executionId }).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'not_found') return undefined
    throw error
  })
}
