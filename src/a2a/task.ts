import type { Artifact, Message, StreamResponse, Task, TaskStatus } from '@a2a-js/sdk'
import type { AgentRunRecord, AgentRunStatus } from '../contract/endpoints/agent.ts'
import { FAILED_MESSAGE, INTERRUPTED_MESSAGE } from '../engine/agents/agent-runner.ts'
import type { TaskNews } from './live-task.ts'
import { saidIn, textPart } from './message-parts.ts'
import type { Sdk } from './sdk.ts'

type State = 'WORKING' | 'COMPLETED' | 'FAILED' | 'CANCELED'

/** What a run's status is called as a task's state. */
export const STATE_BY_STATUS = {
  running: 'WORKING',
  completed: 'COMPLETED',
  error: 'FAILED',
  aborted: 'CANCELED',
} as const satisfies Record<AgentRunStatus, State>

const STATE_BY_END = { completed: 'COMPLETED', failed: 'FAILED', canceled: 'CANCELED' } as const

/** The whole answer is the one artifact of a task. */
const ARTIFACT = {
  artifactId: 'answer',
  name: 'Answer',
  description: '',
  metadata: undefined,
  extensions: [],
}

interface Seen {
  readonly sdk: Sdk
  /** What is there of the answer, while the task works. */
  readonly text?: string | undefined
  /** Why the task failed, in words for callers. */
  readonly failure?: string | undefined
  /** How many messages of its history are wanted; all when left out. */
  readonly historyLength?: number | undefined
}

/** A run of an agent as a task. */
export function taskOf(record: AgentRunRecord, { sdk, text, failure, historyLength }: Seen): Task {
  const { id, status, usage, model, traceId, startTime, endTime } = record
  const ids = idsOf(record)
  const answer = status === 'running' ? text : textOf(record.output)
  // the record may have a reason that is not for callers
  const reason = failure ?? (record.error === INTERRUPTED_MESSAGE ? INTERRUPTED_MESSAGE : FAILED_MESSAGE)
  const message = status === 'error' ? agentMessage(sdk, ids, reason) : undefined
  const history = [askedIn(sdk, record), ...(message ? [message] : [])]
  return {
    id,
    contextId: ids.contextId,
    status: {
      state: sdk.core.TaskState[`TASK_STATE_${STATE_BY_STATUS[status]}`],
      message,
      timestamp: endTime ?? startTime,
    },
    artifacts: answer === undefined || answer === '' ? [] : [artifactOf(answer)],
    history: newest(history, historyLength),
    metadata: { model, traceId, ...(usage && { usage }) },
  }
}

/** What followers of a task are sent of it. */
export function responseTo(news: TaskNews, record: AgentRunRecord, sdk: Sdk): StreamResponse {
  const ids = idsOf(record)
  if (news.type === 'text') {
    const { chunk, last } = news
    const update = { artifact: artifactOf(chunk.text), append: chunk.append, lastChunk: last }
    return { payload: { $case: 'artifactUpdate', value: { ...ids, ...update, metadata: undefined } } }
  }
  const { end, at } = news
  const status: TaskStatus = {
    state: sdk.core.TaskState[`TASK_STATE_${STATE_BY_END[end.state]}`],
    message: end.state === 'failed' ? agentMessage(sdk, ids, end.message) : undefined,
    timestamp: new Date(at).toISOString(),
  }
  return { payload: { $case: 'statusUpdate', value: { ...ids, status, metadata: undefined } } }
}

function newest(history: Message[], count = history.length): Message[] {
  return history.slice(Math.max(history.length - Math.max(count, 0), 0))
}

interface TaskIds {
  readonly taskId: string
  readonly contextId: string
}

/** A run that belongs to no conversation is one of its own. */
function idsOf({ id, conversationId }: AgentRunRecord): TaskIds {
  return { taskId: id, contextId: conversationId ?? id }
}

function textOf(output: unknown): string | undefined {
  if (output === null || output === undefined) return undefined
  return typeof output === 'string' ? output : JSON.stringify(output)
}

function artifactOf(text: string): Artifact {
  return { ...ARTIFACT, parts: [textPart(text)] }
}

function askedIn(sdk: Sdk, record: AgentRunRecord): Message {
  const { id = `${record.id}:input`, parts } = saidIn(record.input)
  return { ...bare(idsOf(record)), messageId: id, role: sdk.core.Role.ROLE_USER, parts }
}

function agentMessage(sdk: Sdk, ids: TaskIds, text: string): Message {
  const messageId = `${ids.taskId}:status`
  return { ...bare(ids), messageId, role: sdk.core.Role.ROLE_AGENT, parts: [textPart(text)] }
}

function bare(ids: TaskIds) {
  return { ...ids, metadata: undefined, extensions: [], referenceTaskIds: [] }
}
