import type { ListTasksRequest } from '@a2a-js/sdk'
import type { AgentRunStatus } from '../contract/endpoints/agent.ts'
import { AppError } from '../lib/errors.ts'
import type { Sdk } from './sdk.ts'
import { STATE_BY_STATUS } from './task.ts'
import type { TaskFilter } from './task-records.ts'

const DEFAULT_PAGE_SIZE = 50
const MAX_PAGE_SIZE = 100

/** The filter and page of `ListTasks`. `filter` is undefined when no task can be in the requested state. */
export interface TaskPage {
  readonly filter: TaskFilter | undefined
  readonly limit: number
  readonly offset: number
}

/** @throws AppError `invalid_input` naming the parameter. */
export function taskPage(request: ListTasksRequest, sdk: Sdk): TaskPage {
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
