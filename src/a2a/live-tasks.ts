import type { Logger } from 'pino'
import type { ClientCall } from '../engine/agents/agent-call.ts'
import type { Agents, ContinueCall } from '../engine/agents/agents.ts'
import { FAILED_MESSAGE } from '../engine/agents/send-answer.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { LiveTask } from './live-task.ts'
import { taskFormat } from './task-format.ts'
import type { TaskPart } from './task-format.ts'

interface LiveTasksOptions {
  readonly clock: Clock
  readonly logger: Logger
  /** The maximum number of running tasks. Default: 1000. */
  readonly maxTasks?: number
  /** The maximum number of failed tasks whose error message is kept. Default: 1000. */
  readonly maxFailures?: number
}

/** The tasks that run in this process. They continue when their clients disconnect, as the protocol requires. */
export class LiveTasks {
  readonly #options: LiveTasksOptions
  readonly #live = new Map<string, LiveTask>()
  readonly #failures = new Map<string, string>()
  readonly #maxTasks: number
  readonly #maxFailures: number
  #open = 0

  constructor(options: LiveTasksOptions) {
    this.#options = options
    this.#maxTasks = options.maxTasks ?? 1000
    this.#maxFailures = options.maxFailures ?? 1000
  }

  get(id: string): LiveTask | undefined {
    return this.#live.get(id)
  }

  /** The public error message of a failed task. Only the most recent failures are kept. */
  failureOf(id: string): string | undefined {
    return this.#failures.get(id)
  }

  /** @throws AppError like the agent before it answers; `unavailable` while too many tasks are running. */
  start(agents: Agents, agentId: string, call: Omit<ClientCall, 'signal'>): Promise<LiveTask> {
    return this.#follow((signal) => agents.stream(agentId, { ...call, signal }, taskFormat))
  }

  /** Continues a task that waits. @throws AppError like the agent. */
  continue(agents: Agents, agentId: string, call: ContinueCall): Promise<LiveTask> {
    const format = () => taskFormat
    return this.#follow((signal) => agents.continueStreamed(agentId, { ...call, signal, format }), call.runId)
  }

  /** @param waiting the id of the task, whose stream has no start while further approvals are pending */
  async #follow(
    open: (signal: AbortSignal) => Promise<AsyncGenerator<TaskPart>>,
    waiting?: string,
  ): Promise<LiveTask> {
    if (this.#open >= this.#maxTasks)
      throw new AppError(
        'unavailable',
        `The limit of ${this.#maxTasks} running tasks is reached; try again later`,
      )
    this.#open++
    try {
      const parts = await open(new AbortController().signal)
      const { value: first } = (await parts.next()) as IteratorResult<TaskPart, undefined>
      const id = first?.type === 'started' ? first.run.id : waiting
      if (id === undefined || !first)
        throw new AppError('unavailable', 'The task was aborted before it started')
      const task = new LiveTask(id)
      this.#live.set(task.id, task)
      if (first.type === 'ended') {
        this.#close(task, first)
        task.add(first, this.#options.clock.now())
      } else void this.#read(task, parts)
      return task
    } catch (error) {
      this.#open--
      throw error
    }
  }

  async #read(task: LiveTask, parts: AsyncGenerator<TaskPart>): Promise<void> {
    const { clock, logger } = this.#options
    try {
      for await (const part of parts) {
        if (part.type === 'ended') this.#close(task, part)
        task.add(part, clock.now())
      }
    } catch (error) {
      logger.error({ err: error, taskId: task.id }, 'The stream of an A2A task failed')
      const failed: TaskPart = { type: 'ended', end: { state: 'failed', message: FAILED_MESSAGE } }
      this.#close(task, failed)
      task.add(failed, clock.now())
    }
  }

  #close({ id }: LiveTask, { end }: Extract<TaskPart, { type: 'ended' }>): void {
    if (!this.#live.delete(id)) return
    this.#open--
    if (end.state !== 'failed') return
    this.#failures.set(id, end.message)
    const [oldest] = this.#failures.keys()
    if (this.#failures.size > this.#maxFailures && oldest !== undefined) this.#failures.delete(oldest)
  }
}
