import type * as Mcp from '@modelcontextprotocol/server'
import type { CallToolResult, Result, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { AppError } from '../../lib/errors.ts'
import type { HandlerDeps } from './exchange.ts'
import { publicText, toResult } from './register-tools.ts'
import { readClientCapabilities } from './requests/client-capabilities.ts'
import { declaresTasks, taskFields, TASKS_EXTENSION } from './task.ts'
import type { TaskForm, TaskResponse, TaskState } from './task.ts'

const Params = z.object({ taskId: z.string() })

/** Handles `tasks/get`, `tasks/update` and `tasks/cancel` of the tasks extension. */
export function registerTasks(deps: HandlerDeps): void {
  const { mcp, protocolServer, exchange } = deps
  const { tasks } = exchange.calls
  const handle = (method: string, work: (taskId: string, context: ServerContext) => Promise<Result>) =>
    protocolServer.setRequestHandler(method, { params: Params }, async ({ taskId }, context) => {
      if (!declaresTasks(mcp, context.mcpReq.envelope)) throw missingExtension(mcp)
      try {
        return await work(taskId, context)
      } catch (error) {
        throw protocolError(deps, error, taskId)
      }
    })
  handle('tasks/get', async (taskId, { mcpReq }) => {
    const declared: unknown = Reflect.get(mcpReq.envelope ?? {}, mcp.CLIENT_CAPABILITIES_META_KEY)
    return detailedTask(await tasks.get(taskId), readClientCapabilities(declared).elicit)
  })
  handle('tasks/update', async (taskId) => {
    await tasks.update(taskId, readResponses(deps))
    return {}
  })
  handle('tasks/cancel', async (taskId) => {
    await tasks.cancel(taskId)
    return {}
  })
}

/**
 * The refusal of a subscription to tasks without the extension, which the SDK would ignore; `undefined` for all else. The
 * server sends no notifications about tasks: an accepted subscription has no `taskIds`.
 */
export function refusedSubscription({ mcp, exchange }: Omit<HandlerDeps, 'protocolServer'>) {
  const { id, method, params } = exchange.body as Partial<Mcp.JSONRPCRequest>
  if (method !== 'subscriptions/listen' || !Subscription.safeParse(params).success) return undefined
  if (declaresTasks(mcp, params?._meta)) return undefined
  const { code, message, data } = missingExtension(mcp)
  return Response.json({ jsonrpc: '2.0', id: id ?? null, error: { code, message, data } }, { status: 400 })
}

const Subscription = z.object({ notifications: z.object({ taskIds: z.array(z.unknown()) }) })

/** The error of a client that uses tasks and does not declare them. */
function missingExtension(mcp: HandlerDeps['mcp']) {
  return new mcp.MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  })
}

/** A task with its result, or what it waits for (`DetailedTask`). */
function detailedTask(task: TaskState, hasForms: boolean): Result {
  const { progress, tool } = task
  const fields = taskFields(task)
  switch (progress.status) {
    case 'working':
    case 'cancelled':
      return { ...fields, status: progress.status }
    case 'waiting':
      return {
        ...fields,
        status: 'input_required',
        inputRequests: hasForms ? inputRequests(progress.requests) : {},
      }
    case 'completed':
      return { ...fields, status: 'completed', result: complete(toResult({}, progress.value)) }
    case 'failed': {
      const text = publicText(progress.error, tool)
      const result = complete({ isError: true, content: [{ type: 'text', text }] })
      return { ...fields, status: 'completed', result }
    }
  }
}

/** The result as the call of the tool would have had it; the SDK completes only that of the request. */
function complete(result: CallToolResult): Result {
  return { resultType: 'complete', ...result }
}

function inputRequests(requests: readonly TaskForm[]): Record<string, object> {
  const forms = requests.flatMap(({ key, message, form }) =>
    form
      ? [[key, { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema: form } }]]
      : [],
  )
  return Object.fromEntries(forms) as Record<string, object>
}

/** The responses as they were sent: the SDK takes them out of the params, and drops what is no object. */
function readResponses({ mcp, exchange }: HandlerDeps): ReadonlyMap<string, TaskResponse> {
  const { params } = exchange.body as Partial<Mcp.JSONRPCRequest>
  const sent = z.record(z.string(), z.unknown()).safeParse(params?.['inputResponses'])
  const invalid = (what: string) =>
    new mcp.ProtocolError(mcp.ProtocolErrorCode.InvalidParams, `inputResponses${what}`)
  if (!sent.success) throw invalid(': must be an object with the result of each request')
  return new Map(
    Object.entries(sent.data).map(([key, response]) => {
      const result = mcp.specTypeSchemas.ElicitResult['~standard'].validate(response)
      if (result.issues) throw invalid(`.${key}: must have an action and, to accept, the content of the form`)
      const { action, content } = result.value
      return [key, { action, content }]
    }),
  )
}

/** The error of a request. Why a task is not found is not told: another user's is as one that does not exist. */
function protocolError({ mcp, exchange: { logger } }: HandlerDeps, error: unknown, taskId: string): unknown {
  const { ProtocolError, ProtocolErrorCode } = mcp
  if (error instanceof ProtocolError) return error
  if (error instanceof AppError && error.status < 500)
    return new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      error.code === 'not_found' ? `Task not found: ${taskId.slice(0, 128)}` : error.message,
    )
  logger.warn({ err: error, taskId }, 'A request for a task failed')
  const message = error instanceof AppError && error.code !== 'internal' ? error.message : 'Internal error'
  return new ProtocolError(ProtocolErrorCode.InternalError, message)
}
