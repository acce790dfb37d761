import type { Artifact, Message, Part, StreamResponse, Task, TaskStatus } from '@a2a-js/sdk'
import type { AgentRunRecord, AgentRunStatus } from '../contract/endpoints/agent.ts'
import { INTERRUPTED_MESSAGE } from '../engine/agents/agents.ts'
import { FAILED_MESSAGE } from '../engine/agents/send-answer.ts'
import type { TaskUpdate } from './live-task.ts'
import { lastMessageOf, requestPart, textPart } from './message-parts.ts'
import type { TaskEnd } from './task-format.ts'
import type { Sdk } from './sdk.ts'

type State = 'WORKING' | 'INPUT_REQUIRED' | 'COMPLETED' | 'FAILED' | 'CANCELED'

/** The task state of each run status. */
export const STATE_BY_STATUS = {
  running: 'WORKING',
  suspended: 'INPUT_REQUIRED',
  completed: 'COMPLETED',
  error: 'FAILED',
  aborted: 'CANCELED',
} as const satisfies Record<AgentRunStatus, State>

const STATE_BY_END = {
  completed: 'COMPLETED',
  failed: 'FAILED',
  rejected: 'REJECTED',
  canceled: 'CANCELED',
  'input-required': 'INPUT_REQUIRED',
} as const

/** The only artifact of a task is its complete answer. */
const ARTIFACT = {
  artifactId: 'answer',
  name: 'Answer',
  description: '',
  metadata: undefined,
  extensions: [],
}

interface TaskView {
  readonly sdk: Sdk
  /** The incomplete answer, while the task is running. */
  readonly text?: string | undefined
  /** The public error message, if the task failed. */
  readonly failure?: string | undefined
  /** The maximum number of messages in the history. Default: all. */
  readonly historyLength?: number | undefined
}

/** Converts a run of an agent to a task. */
export function toTask(record: AgentRunRecord, { sdk, text, failure, historyLength }: TaskView): Task {
  const { id, status, reason, usage, model, traceId, startTime, endTime } = record
  const ids = idsOf(record)
  const answer = status === 'running' ? text : textOf(record.output)
  const message =
    status === 'error'
      ? agentMessage(sdk, ids, textPart(failure ?? failureIn(record)))
      : status === 'suspended'
        ? agentMessage(sdk, ids, requestPart(record))
        : reason === undefined
          ? undefined
          : agentMessage(sdk, ids, textPart(reason))
  const history = [promptMessage(sdk, record), ...(message ? [message] : [])]
  return {
    id,
    contextId: ids.contextId,
    status: {
      state: sdk.core.TaskState[`TASK_STATE_${reason === undefined ? STATE_BY_STATUS[status] : 'REJECTED'}`],
      message,
      timestamp: endTime ?? startTime,
    },
    artifacts: answer === undefined || answer === '' ? [] : [artifactOf(answer)],
    history: newest(history, historyLength),
    metadata: { model, traceId, ...(usage && { usage }) },
  }
}

/** The stream response for an update of a task. */
export function updateResponse(update: TaskUpdate, record: AgentRunRecord, sdk: Sdk): StreamResponse {
  const ids = idsOf(record)
  if (update.type === 'text') {
    const { chunk, last } = update
    const artifactUpdate = { artifact: artifactOf(chunk.text), append: chunk.append, lastChunk: last }
    return { payload: { $case: 'artifactUpdate', value: { ...ids, ...artifactUpdate, metadata: undefined } } }
  }
  const { end, at } = update
  const status: TaskStatus = {
    state: sdk.core.TaskState[`TASK_STATE_${STATE_BY_END[end.state]}`],
    message: endMessage(end, ids, sdk),
    timestamp: new Date(at).toISOString(),
  }
  return { payload: { $case: 'statusUpdate', value: { ...ids, status, metadata: undefined } } }
}

/** The public error message of a recorded task, as the error in the record may be internal. */
export function failureIn({ error }: AgentRunRecord): string {
  return error === INTERRUPTED_MESSAGE ? INTERRUPTED_MESSAGE : FAILED_MESSAGE
}

/** The answer of a recorded task; `undefined` without one. */
export function textOf(output: unknown): string | undefined {
  if (output === null || output === undefined) return undefined
  return typeof output === 'string' ? output : JSON.stringify(output)
}

function newest(history: Message[], count = history.length): Message[] {
  return history.slice(Math.max(history.length - Math.max(count, 0), 0))
}

interface TaskIds {
  readonly taskId: string
  readonly contextId: string
}

/** A run without a conversation is its own context. */
function idsOf({ id, conversationId }: AgentRunRecord): TaskIds {
  return { taskId: id, contextId: conversationId ?? id }
}

function artifactOf(text: string): Artifact {
  return { ...ARTIFACT, parts: [textPart(text)] }
}

function promptMessage(sdk: Sdk, record: AgentRunRecord): Message {
  const { id = `${record.id}:input`, parts } = lastMessageOf(record.input)
  return { ...bare(idsOf(record)), messageId: id, role: sdk.core.Role.ROLE_USER, parts }
}

function endMessage(end: TaskEnd, ids: TaskIds, sdk: Sdk): Message | undefined {
  if ('message' in end) return agentMessage(sdk, ids, textPart(end.message))
  if (end.state !== 'input-required') return undefined
  return agentMessage(sdk, ids, requestPart(end))
}

function agentMessage(sdk: Sdk, ids: TaskIds, part: Part): Message {
  const messageId = `${ids.taskId}:status`
  return { ...bare(ids), messageId, role: sdk.core.Role.ROLE_AGENT, parts: [part] }
}

function bare(ids: TaskIds) {
  return { ...ids, metadata: undefined, extensions: [], referenceTaskIds: [] }
}
