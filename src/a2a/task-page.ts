import type { ListTasksRequest } from '@a2a-js/sdk'
import type { AgentRunStatus } from '../contract/endpoints/agent.ts'
import { AppError } from '../lib/errors.ts'
import type { Sdk } from './sdk.ts'
import { STATE_BY_STATUS } from './task.ts'
import type { TaskFilter } from './task-records.ts'

const DEFAULT_PAGE = 50
const LARGEST_PAGE = 100

/** What a client wants listed; `undefined` instead of a filter when no task can be in that state. */
export interface TaskPage {
  readonly filter: TaskFilter | undefined
  readonly limit: number
  readonly offset: number
}

/** @throws AppError `invalid_input` naming the parameter. */
export function taskPage(request: ListTasksRequest, sdk: Sdk): TaskPage {
  const { pageSize: limit = DEFAULT_PAGE, pageToken, contextId, statusTimestampAfter } = request
  if (!Number.isInteger(limit) || limit < 1 || limit > LARGEST_PAGE)
    throw new AppError('invalid_input', `params.pageSize: Must be a whole number from 1 to ${LARGEST_PAGE}`)
  if (!/^\d{0,15}$/.test(pageToken))
    throw new AppError('invalid_input', 'params.pageToken: Must be the nextPageToken of an earlier page')
  const since = statusTimestampAfter === undefined ? undefined : Date.parse(statusTimestampAfter)
  if (Number.isNaN(since))
    throw new AppError('invalid_input', 'params.statusTimestampAfter: Must be an ISO 8601 instant')
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
