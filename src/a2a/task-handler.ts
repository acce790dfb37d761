import type {
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from '@a2a-js/sdk'
import type { A2ARequestHandler } from '@a2a-js/sdk/server'
import type { Agent } from '../agent/agent.ts'
import type { AgentRunRecord } from '../contract/endpoints/agent.ts'
import type { User } from '../contract/auth.ts'
import type { AgentRunner } from '../engine/agents/agent-runner.ts'
import { abortable, abortableItems } from '../lib/async/abortable.ts'
import { AppError } from '../lib/errors.ts'
import type { LiveTask, TaskNews } from './live-task.ts'
import type { LiveTasks } from './live-tasks.ts'
import { toUiMessage } from './message-parts.ts'
import type { TraceScope } from '../lib/telemetry/trace-scope.ts'
import type { Sdk } from './sdk.ts'
import { responseTo, taskOf } from './task.ts'
import { taskPage } from './task-page.ts'
import type { TaskRecords } from './task-records.ts'

export interface TaskMeans {
  readonly sdk: Sdk
  readonly agent: Agent
  readonly agents: AgentRunner
  readonly tasks: LiveTasks
  readonly records: TaskRecords
  readonly user: User | undefined
  /** What a task's span is below. */
  readonly trace: TraceScope
  readonly newId: () => string
  /** Aborts when the client leaves or the server stops; tasks go on. */
  readonly signal: AbortSignal
}

type Methods = Pick<
  A2ARequestHandler,
  'sendMessage' | 'sendMessageStream' | 'getTask' | 'cancelTask' | 'resubscribe' | 'listTasks'
>

/** What an agent does for A2A clients. A task is a run of the agent, on record like every other. */
export class TaskHandler implements Methods {
  readonly #means: TaskMeans

  constructor(means: TaskMeans) {
    this.#means = means
  }

  async sendMessage(request: SendMessageRequest): Promise<Task> {
    const { records, signal } = this.#means
    const live = await this.#start(request)
    const { returnImmediately, historyLength } = request.configuration ?? {}
    if (returnImmediately !== true) await abortable(live.ended, signal)
    return this.#seen(await this.#known(live.id, records.begun(live.id)), historyLength)
  }

  async *sendMessageStream(request: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const { records, sdk } = this.#means
    const live = await this.#start(request)
    const news = live.replay()
    const record = await this.#known(live.id, records.begun(live.id))
    const { historyLength } = request.configuration ?? {}
    const begun: AgentRunRecord = { ...record, status: 'running', output: null, endTime: null, usage: null }
    yield { payload: { $case: 'task', value: taskOf(begun, { sdk, historyLength }) } }
    yield* this.#told(news, record)
  }

  async getTask({ id, historyLength }: GetTaskRequest): Promise<Task> {
    return this.#seen(await this.#find(id), historyLength)
  }

  async cancelTask({ id }: CancelTaskRequest): Promise<Task> {
    const { agents, sdk } = this.#means
    const { status } = await this.#find(id)
    if (status === 'running') await agents.cancel(id)
    const record = await this.#find(id)
    if (record.status === 'aborted') return this.#seen(record)
    throw new sdk.errors.TaskNotCancelableError(
      record.status === 'running'
        ? `Task ${id} runs as a step of a workflow, or in another process: it can't be cancelled here`
        : `Task ${id} has ended: it can't be cancelled any more`,
    )
  }

  async *resubscribe({ id }: SubscribeToTaskRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const { sdk, tasks } = this.#means
    const live = tasks.get(id)
    const record = await this.#find(id)
    if (!live) {
      const why = record.status === 'running' ? 'was not begun over A2A here' : 'has ended'
      throw new sdk.errors.UnsupportedOperationError(`Task ${id} ${why}: it can't be subscribed to`)
    }
    const news = live.follow()
    yield { payload: { $case: 'task', value: this.#seen(record) } }
    yield* this.#told(news, record)
  }

  async listTasks(request: ListTasksRequest): Promise<ListTasksResponse> {
    const { records, sdk } = this.#means
    const { filter, ...page } = taskPage(request, sdk)
    const found = filter ? await records.list(filter, page) : { total: 0, records: [] }
    const next = page.offset + found.records.length
    const tasks = found.records.map((record) => this.#seen(record, request.historyLength))
    return {
      tasks: request.includeArtifacts === true ? tasks : tasks.map((task) => ({ ...task, artifacts: [] })),
      nextPageToken: next < found.total ? String(next) : '',
      pageSize: page.limit,
      totalSize: found.total,
    }
  }

  async #start({ message, configuration }: SendMessageRequest): Promise<LiveTask> {
    const { sdk, agent, agents, tasks, user, newId, trace } = this.#means
    if (!message) throw new AppError('invalid_input', 'params.message: Required')
    if (configuration?.taskPushNotificationConfig) throw new sdk.errors.PushNotificationNotSupportedError()
    this.#checkModes(configuration?.acceptedOutputModes ?? [])
    if (message.taskId !== '') await this.#refuse(message.taskId)
    const conversationId = message.contextId === '' ? newId() : message.contextId
    const input = [toUiMessage(message)]
    const call = { input, inputPath: 'params.message', options: { conversationId }, user, trace }
    return tasks.start(agents, agent.id, call)
  }

  /** An agent answers once: what follows is a new task of the same conversation. */
  async #refuse(taskId: string): Promise<never> {
    const { status } = await this.#find(taskId)
    const { UnsupportedOperationError } = this.#means.sdk.errors
    throw new UnsupportedOperationError(
      `Task ${taskId} ${status === 'running' ? 'is still working' : 'has ended'}: to go on, send the message with its contextId and without taskId`,
    )
  }

  #checkModes(accepted: readonly string[]): void {
    if (accepted.length === 0 || accepted.some((mode) => /^(text|\*)/i.test(mode))) return
    const { ContentTypeNotSupportedError } = this.#means.sdk.errors
    throw new ContentTypeNotSupportedError('This agent answers with text/plain')
  }

  async *#told(news: AsyncGenerator<TaskNews>, record: AgentRunRecord): AsyncGenerator<StreamResponse> {
    const { sdk, signal } = this.#means
    for await (const one of abortableItems(news, signal)) yield responseTo(one, record, sdk)
  }

  #seen(record: AgentRunRecord, historyLength?: number): Task {
    const { sdk, tasks } = this.#means
    const { id } = record
    return taskOf(record, { sdk, text: tasks.get(id)?.text, failure: tasks.failureOf(id), historyLength })
  }

  #find(id: string): Promise<AgentRunRecord> {
    if (id.trim() === '') throw new AppError('invalid_input', 'params.id: Required')
    return this.#known(id, this.#means.records.find(id))
  }

  async #known(id: string, found: Promise<AgentRunRecord | undefined>): Promise<AgentRunRecord> {
    const record = await found
    if (record) return record
    throw new this.#means.sdk.errors.TaskNotFoundError(`Task not found: ${id.slice(0, 128)}`)
  }
}
