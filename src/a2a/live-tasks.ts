import type { Logger } from 'pino'
import type { AgentCall } from '../engine/agents/agent-call.ts'
import { type AgentRunner, FAILED_MESSAGE } from '../engine/agents/agent-runner.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { LiveTask } from './live-task.ts'
import { type TaskPart, taskFormat } from './task-format.ts'

interface LiveTasksOptions {
  readonly clock: Clock
  readonly logger: Logger
  /** How many tasks may run at once. */
  readonly most?: number
  /** Of how many failed tasks the reason is kept. */
  readonly mostFailures?: number
}

/** The tasks that run in this process. They go on when those who asked have left, as the protocol wants it. */
export class LiveTasks {
  readonly #options: LiveTasksOptions
  readonly #live = new Map<string, LiveTask>()
  readonly #failures = new Map<string, string>()
  readonly #most: number
  readonly #mostFailures: number
  #open = 0

  constructor(options: LiveTasksOptions) {
    this.#options = options
    this.#most = options.most ?? 1000
    this.#mostFailures = options.mostFailures ?? 1000
  }

  get(id: string): LiveTask | undefined {
    return this.#live.get(id)
  }

  /** What callers were told of a task that failed; older failures are forgotten. */
  failureOf(id: string): string | undefined {
    return this.#failures.get(id)
  }

  /** @throws AppError as the agent does before it answers; `unavailable` while too many tasks run. */
  async start(agents: AgentRunner, agentId: string, call: Omit<AgentCall, 'signal'>): Promise<LiveTask> {
    if (this.#open >= this.#most)
      throw new AppError('unavailable', `${this.#most} tasks are running, which is the most; try again later`)
    this.#open++
    try {
      const signal = new AbortController().signal
      const parts = await agents.stream(agentId, { ...call, signal }, taskFormat)
      const { value: first } = (await parts.next()) as IteratorResult<TaskPart, undefined>
      if (first?.type !== 'begun')
        throw new AppError('unavailable', 'The task was broken off before it began')
      const task = new LiveTask(first.run.id)
      this.#live.set(task.id, task)
      void this.#read(task, parts)
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
        task.take(part, clock.now())
      }
    } catch (error) {
      logger.error({ err: error, taskId: task.id }, 'An A2A task could not be read to its end')
      const failed: TaskPart = { type: 'ended', end: { state: 'failed', message: FAILED_MESSAGE } }
      this.#close(task, failed)
      task.take(failed, clock.now())
    }
  }

  #close({ id }: LiveTask, { end }: Extract<TaskPart, { type: 'ended' }>): void {
    if (!this.#live.delete(id)) return
    this.#open--
    if (end.state !== 'failed') return
    this.#failures.set(id, end.message)
    const [oldest] = this.#failures.keys()
    if (this.#failures.size > this.#mostFailures && oldest !== undefined) this.#failures.delete(oldest)
  }
}
