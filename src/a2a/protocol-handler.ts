import type { A2ARequestHandler } from '@a2a-js/sdk/server'
import type { Logger } from 'pino'
import { agentCard, type CardPlace } from './agent-card.ts'
import { AppError } from '../lib/errors.ts'
import { TaskHandler, type TaskMeans } from './task-handler.ts'
import type { Sdk } from './sdk.ts'

interface Telling {
  readonly sdk: Sdk
  readonly logger: Logger
  readonly signal: AbortSignal
}

/** All methods of the protocol for one request. What we don't offer is refused as the protocol has it. */
export function protocolHandler(
  means: TaskMeans,
  { logger, place }: { logger: Logger; place: CardPlace },
): A2ARequestHandler {
  const { sdk, agent, signal } = means
  const tasks = new TaskHandler(means)
  const telling = { sdk, logger, signal }
  const refusePush = () => Promise.reject(new sdk.errors.PushNotificationNotSupportedError())
  return {
    sendMessage: (request) => told(tasks.sendMessage(request), telling),
    sendMessageStream: (request) => eachTold(tasks.sendMessageStream(request), telling),
    getTask: (request) => told(tasks.getTask(request), telling),
    cancelTask: (request) => told(tasks.cancelTask(request), telling),
    resubscribe: (request) => eachTold(tasks.resubscribe(request), telling),
    listTasks: (request) => told(tasks.listTasks(request), telling),
    getAgentCard: async () => sdk.core.AgentCard.fromJSON(agentCard(agent, place)),
    getAuthenticatedExtendedAgentCard: () =>
      Promise.reject(
        new sdk.errors.UnsupportedOperationError('This agent has no other card than its public one'),
      ),
    createTaskPushNotificationConfig: refusePush,
    getTaskPushNotificationConfig: refusePush,
    listTaskPushNotificationConfigs: refusePush,
    deleteTaskPushNotificationConfig: refusePush,
  }
}

async function told<T>(work: Promise<T>, telling: Telling): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw toldError(error, telling)
  }
}

async function* eachTold<T>(items: AsyncGenerator<T, void>, telling: Telling): AsyncGenerator<T, void> {
  try {
    yield* items
  } catch (error) {
    throw toldError(error, telling)
  }
}

/** An error in the words of the protocol. The SDK tells clients the message of any error, ours are chosen. */
export function toldError(error: unknown, { sdk, logger, signal }: Telling): Error {
  if (error instanceof sdk.errors.A2AError) return error
  if (signal.aborted) return new Error('The request was broken off; GetTask tells how the task goes on')
  if (error instanceof AppError && error.code === 'invalid_input')
    return new sdk.errors.RequestMalformedError(error.message)
  if (error instanceof AppError && error.code !== 'internal') {
    if (error.cause !== undefined) logger.warn({ err: error.cause }, error.message)
    return new Error(error.message)
  }
  logger.error({ err: error }, 'An A2A request failed')
  return new Error('Internal server error')
}
