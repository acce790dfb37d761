import type {
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from '@a2a-js/sdk'
import type { A2ARequestHandler } from '@a2a-js/sdk/server'
import type { Agent } from '../agent/agent.ts'
import type { Decider } from '../contract/access/decision.ts'
import type { User } from '../contract/auth.ts'
import type { AgentRunRecord, AgentRunStatus } from '../contract/endpoints/agent.ts'
import type { Agents } from '../engine/agents/agents.ts'
import { abortable, abortableItems } from '../lib/async/abortable.ts'
import { AppError } from '../lib/errors.ts'
import type { TraceScope } from '../lib/telemetry/trace-scope.ts'
import type { LiveTask, TaskUpdate } from './live-task.ts'
import type { LiveTasks } from './live-tasks.ts'
import { approvalsIn, resumeIn, toUiMessage } from './message-parts.ts'
import type { Sdk } from './sdk.ts'
import type { TaskRecords, TaskFilter } from './task-records.ts'
import { toTask, updateResponse, STATE_BY_STATUS } from './task.ts'

export interface TaskDeps {
  readonly sdk: Sdk
  readonly agent: Agent
  readonly agents: Agents
  readonly tasks: LiveTasks
  readonly records: TaskRecords
  readonly user: User | undefined
  /** The user as somebody who responds to tasks that wait. */
  readonly decider: Decider
  /** Rejects with AppError when the user may not use a conversation. */
  readonly checkConversation: (id: string) => Promise<void>
  /** The parent of a task's span. */
  readonly trace: TraceScope
  readonly newId: () => string
  /** Aborts when the client disconnects or the server stops. Tasks continue. */
  readonly signal: AbortSignal
}

type Methods = Pick<
  A2ARequestHandler,
  'sendMessage' | 'sendMessageStream' | 'getTask' | 'cancelTask' | 'resubscribe' | 'listTasks'
>

/** The A2A methods of one agent. A task is a run of the agent, recorded like any other run. */
export class TaskHandler implements Methods {
  readonly #deps: TaskDeps

  constructor(deps: TaskDeps) {
    this.#deps = deps
  }

  async sendMessage(request: SendMessageRequest): Promise<Task> {
    const { records, signal } = this.#deps
    const live = await this.#start(request)
    const { returnImmediately, historyLength } = request.configuration ?? {}
    if (returnImmediately !== true) await abortable(live.ended, signal)
    return this.#toTask(await this.#requireRecord(live.id, records.started(live.id)), historyLength)
  }

  async *sendMessageStream(request: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const { records, sdk } = this.#deps
    const live = await this.#start(request)
    const updates = live.replay()
    const record = await this.#requireRecord(live.id, records.started(live.id))
    const { historyLength } = request.configuration ?? {}
    const initial: AgentRunRecord = { ...record, status: 'running', output: null, endTime: null, usage: null }
    yield { payload: { $case: 'task', value: toTask(initial, { sdk, historyLength }) } }
    yield* this.#follow(updates, record)
  }

  async getTask({ id, historyLength }: GetTaskRequest): Promise<Task> {
    return this.#toTask(await this.#find(id), historyLength)
  }

  async cancelTask({ id }: CancelTaskRequest): Promise<Task> {
    const { agents, sdk } = this.#deps
    const { status } = await this.#find(id)
    if (status === 'running' || status === 'suspended') await agents.cancel(id)
    const record = await this.#find(id)
    if (record.status === 'aborted') return this.#toTask(record)
    throw new sdk.errors.TaskNotCancelableError(
      record.status === 'running'
        ? `Task ${id} cannot be cancelled: it is part of another agent's answer or of a workflow`
        : `Task ${id} cannot be cancelled: it has ended`,
    )
  }

  async *resubscribe({ id }: SubscribeToTaskRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const { sdk, tasks, records, signal } = this.#deps
    const live = tasks.get(id)
    const record = await this.#find(id)
    if (!live && record.status !== 'running')
      throw new sdk.errors.UnsupportedOperationError(`Task ${id} cannot be subscribed to: it has ended`)
    const updates = live?.follow() ?? records.updates(id, signal)
    yield { payload: { $case: 'task', value: this.#toTask(record) } }
    yield* this.#follow(updates, record)
  }

  async listTasks(request: ListTasksRequest): Promise<ListTasksResponse> {
    const { records, sdk } = this.#deps
    const { filter, ...page } = taskPage(request, sdk)
    const found = filter ? await records.list(filter, page) : { total: 0, records: [] }
    const next = page.offset + found.records.length
    const tasks = found.records.map((record) => this.#toTask(record, request.historyLength))
    return {
      tasks: request.includeArtifacts === true ? tasks : tasks.map((task) => ({ ...task, artifacts: [] })),
      nextPageToken: next < found.total ? String(next) : '',
      pageSize: page.limit,
      totalSize: found.total,
    }
  }

  async #start({ message, configuration }: SendMessageRequest): Promise<LiveTask> {
    const { sdk, agent, agents, tasks, user, newId, trace } = this.#deps
    if (!message) throw new AppError('invalid_input', 'params.message: Required')
    if (configuration?.taskPushNotificationConfig) throw new sdk.errors.PushNotificationNotSupportedError()
    this.#checkModes(configuration?.acceptedOutputModes ?? [])
    if (message.taskId !== '') return this.#followUp(message)
    if (message.contextId !== '') await this.#deps.checkConversation(message.contextId)
    const conversationId = message.contextId === '' ? newId() : message.contextId
    const input = [toUiMessage(message)]
    const options = { conversationId }
    // the record of a task has its whole answer, also when it survives its process
    const call = { input, inputPath: 'params.message', options, user, trace, delivery: 'text' as const }
    return tasks.start(agents, agent.id, call)
  }

  /** A message for a task that waits has its approvals, or the data of a wait. Other tasks have one answer. */
  async #followUp(message: Message): Promise<LiveTask> {
    const { agent, agents, tasks, decider } = this.#deps
    const { taskId } = message
    const { status, waits } = await this.#find(taskId)
    if (status === 'suspended' && waits) {
      const { stepId, resumeData } = resumeIn(message, waits)
      return tasks.continue(agents, agent.id, { kind: 'resume', runId: taskId, decider, stepId, resumeData })
    }
    if (status === 'suspended') {
      const responses = { approvals: approvalsIn(message), toolOutputs: [] }
      return tasks.continue(agents, agent.id, { kind: 'respond', runId: taskId, decider, responses })
    }
    const { UnsupportedOperationError } = this.#deps.sdk.errors
    throw new UnsupportedOperationError(
      `Task ${taskId} ${status === 'running' ? 'is still running' : 'has ended'}: send follow-up messages with its contextId and without taskId`,
    )
  }

  #checkModes(accepted: readonly string[]): void {
    if (accepted.length === 0 || accepted.some((mode) => /^(text|\*)/i.test(mode))) return
    const { ContentTypeNotSupportedError } = this.#deps.sdk.errors
    throw new ContentTypeNotSupportedError('This agent only returns text/plain')
  }

  async *#follow(
    updates: AsyncGenerator<TaskUpdate>,
    record: AgentRunRecord,
  ): AsyncGenerator<StreamResponse> {
    const { sdk, signal } = this.#deps
    for await (const update of abortableItems(updates, signal)) yield updateResponse(update, record, sdk)
  }

  #toTask(record: AgentRunRecord, historyLength?: number): Task {
    const { sdk, tasks } = this.#deps
    const { id } = record
    return toTask(record, { sdk, text: tasks.get(id)?.text, failure: tasks.failureOf(id), historyLength })
  }

  #find(id: string): Promise<AgentRunRecord> {
    if (id.trim() === '') throw new AppError('invalid_input', 'params.id: Required')
    return this.#requireRecord(id, this.#deps.records.find(id))
  }

  async #requireRecord(id: string, found: Promise<AgentRunRecord | undefined>): Promise<AgentRunRecord> {
    const record = await found
    if (record) return record
    throw new this.#deps.sdk.errors.TaskNotFoundError(`Task not found: ${id.slice(0, 128)}`)
  }
}

const DEFAULT_PAGE_SIZE = 50

const MAX_PAGE_SIZE = 100

/** The filter and page of `ListTasks`. `filter` is undefined when no task can be in the requested state. */
interface TaskPage {
  readonly filter: TaskFilter | undefined
  readonly limit: number
  readonly offset: number
}

/** @throws AppError `invalid_input` naming the parameter. */
function taskPage(request: ListTasksRequest, sdk: Sdk): TaskPage {
  const { pageSize: limit = DEFAULT_PAGE_SIZE, pageToken, contextId, statusTimestampAfter } = request
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE_SIZE)
    throw new AppError('invalid_input', `params.pageSize: Must be a whole number from 1 to ${MAX_PAGE_SIZE}`)
  if (!/^\d{0,15}$/.test(pageToken))
    throw new AppError('invalid_input', 'params.pageToken: Must be the nextPageToken of an earlier page')
  const since = statusTimestampAfter === undefined ? undefined : Date.parse(statusTimestampAfter)
  if (Number.isNaN(since))
    throw new AppError('invalid_input', 'params.statusTimestampAfter: Must be an ISO 8601 timestamp')
  const page = { limit, offset: Number(pageToken) }
  const filter = { changedSince: since, ...(contextId !== '' && { conversationId: contextId }) }
  const { TaskState } = sdk.core
  if (request.status === TaskState.TASK_STATE_UNSPECIFIED) return { ...page, filter }
  if (request.status === TaskState.UNRECOGNIZED)
    throw new AppError('invalid_input', 'params.status: Must be a task state, such as TASK_STATE_COMPLETED')
  const statuses = Object.keys(STATE_BY_STATUS) as AgentRunStatus[]
  const status = statuses.find((one) => TaskState[`TASK_STATE_${STATE_BY_STATUS[one]}`] === request.status)
  return { ...page, filter: status && { ...filter, status } }
}
