import type { A2ARequestHandler } from '@a2a-js/sdk/server'
import type { Logger } from 'pino'
import { agentCard } from './agent-card.ts'
import type { AgentEndpoint } from './agent-card.ts'
import { AppError } from '../lib/errors.ts'
import { TaskHandler } from './task-handler.ts'
import type { TaskDeps } from './task-handler.ts'
import type { Sdk } from './sdk.ts'

interface ErrorDeps {
  readonly sdk: Sdk
  readonly logger: Logger
  readonly signal: AbortSignal
}

/** The protocol's methods for one request. Unsupported methods fail with the error that the protocol defines. */
export function protocolHandler(
  deps: TaskDeps,
  { logger, endpoint }: { logger: Logger; endpoint: AgentEndpoint },
): A2ARequestHandler {
  const { sdk, agent, signal } = deps
  const tasks = new TaskHandler(deps)
  const errorDeps = { sdk, logger, signal }
  const rejectPush = () => Promise.reject(new sdk.errors.PushNotificationNotSupportedError())
  return {
    sendMessage: (request) => withPublicErrors(tasks.sendMessage(request), errorDeps),
    sendMessageStream: (request) => streamWithPublicErrors(tasks.sendMessageStream(request), errorDeps),
    getTask: (request) => withPublicErrors(tasks.getTask(request), errorDeps),
    cancelTask: (request) => withPublicErrors(tasks.cancelTask(request), errorDeps),
    resubscribe: (request) => streamWithPublicErrors(tasks.resubscribe(request), errorDeps),
    listTasks: (request) => withPublicErrors(tasks.listTasks(request), errorDeps),
    getAgentCard: async () => sdk.core.AgentCard.fromJSON(agentCard(agent, endpoint)),
    getAuthenticatedExtendedAgentCard: () =>
      Promise.reject(new sdk.errors.UnsupportedOperationError('This agent has no extended card')),
    createTaskPushNotificationConfig: rejectPush,
    getTaskPushNotificationConfig: rejectPush,
    listTaskPushNotificationConfigs: rejectPush,
    deleteTaskPushNotificationConfig: rejectPush,
  }
}

async function withPublicErrors<T>(work: Promise<T>, telling: ErrorDeps): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw publicError(error, telling)
  }
}

async function* streamWithPublicErrors<T>(
  items: AsyncGenerator<T, void>,
  telling: ErrorDeps,
): AsyncGenerator<T, void> {
  try {
    yield* items
  } catch (error) {
    throw publicError(error, telling)
  }
}

/** Converts an error for the client. The SDK sends the message of any error, so internal ones are replaced. */
export function publicError(error: unknown, { sdk, logger, signal }: ErrorDeps): Error {
  if (error instanceof sdk.errors.A2AError) return error
  if (signal.aborted)
    return new Error('The request was aborted. The task continues: call GetTask for its state')
  // an unknown task has its own error: what is not found here is the conversation that the params name
  if (error instanceof AppError && (error.code === 'invalid_input' || error.code === 'not_found'))
    return new sdk.errors.RequestMalformedError(error.message)
  if (error instanceof AppError && error.code !== 'internal') {
    if (error.cause !== undefined) logger.warn({ err: error.cause }, error.message)
    return new Error(error.message)
  }
  logger.error({ err: error }, 'An A2A request failed')
  return new Error('Internal server error')
}
