import type { executionEndpoints } from '../../contract/endpoints/execution.ts'
import { PAGE } from '../../contract/fields.ts'
import type { ExecutionRef } from '../../engine/executions/deps.ts'
import { countedRows, eraseRecords } from '../erase-records.ts'
import type { Handler, ValidRequest } from '../reply/reply.ts'
import { Reply } from '../reply/reply.ts'
import type { Services } from '../services.ts'
import { executionStream, lastEventId } from '../reply/execution-stream.ts'
import { startedReply } from '../reply/started-reply.ts'

type Group = typeof executionEndpoints

export function executionHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const executions = () => services.current().engine.executions
  const queries = () => services.current().engine.queries
  const ref = ({ id, executionId }: { id: string; executionId: string }): ExecutionRef => ({
    workflowId: id,
    executionId,
  })
  const detail = async (wanted: ExecutionRef) => queries().detail(await executions().find(wanted))
  const follow = async (
    wanted: ExecutionRef,
    request: { query: { after?: string | undefined }; headers: Headers },
    stacks: boolean,
  ) => {
    const row = await executions().find(wanted)
    return executionStream(services, row, {
      after: lastEventId(request.headers, request.query.after),
      until: 'final',
      stacks,
    })
  }
  const list = async ({ query, access }: Pick<ValidRequest<Group['listExecutions']>, 'query' | 'access'>) => {
    const { limit, offset, from, to, needsInput, q, ...exact } = query
    const recordLimit = await access.limit()
    const openTo = recordLimit && (recordLimit.owner ?? '')
    const search = q === undefined ? undefined : await services.current().search.filterOf(q)
    const times = { from: laterOf(toTimestamp(from), search?.from), to: toTimestamp(to) }
    const filter = { ...exact, ...times, search, openTo, needsInput: needsInput && (true as const) }
    const page = { limit: Number(limit ?? PAGE.defaultLimit), offset: Number(offset ?? 0) }
    const records = await access.readable(await queries().list(filter, page))
    if (limit === undefined && offset === undefined) return records
    return new Reply(records, { headers: { 'X-Total-Count': String(await queries().count(filter)) } })
  }
  return {
    listExecutions: list,
    observeExecutions: list,
    getExecutionState: async ({ params }) => queries().state(await executions().find(ref(params))),
    getExecution: ({ params }) => detail(ref(params)),
    observeExecution: ({ params }) => detail(params),
    followExecution: (request) => follow(ref(request.params), request, services.isOperator(request.raw)),
    deleteExecution: async ({ params }) => {
      const { erasure } = services.current().engine
      const rows = await eraseRecords(services, await erasure.ofExecution(params))
      await erasure.purge()
      return { rows: countedRows(rows) }
    },
    // consoleRoutes may make it a route of users
    followObservedExecution: (request) => follow(request.params, request, request.user === undefined),
    suspendExecution: async ({ params, body, user }) => {
      const result = await executions().suspend(ref(params), body.reason, user)
      return new Reply(result, { status: result.status === 'suspended' ? 200 : 202 })
    },
    resumeExecution: async ({ params, body, trace, access }) => {
      const options = { ...body.options, trace, decider: access.decider }
      return access.readableResult(await executions().resume(ref(params), body.resumeData, options))
    },
    cancelExecution: ({ params, body, user }) => executions().cancel(ref(params), body.reason, user),
    replayExecution: async ({
      params,
      body: { stepId, input, options },
      headers,
      trace,
      access: { decider },
    }) => {
      const started = await executions().replay(ref(params), stepId, { input, ...options, trace, decider })
      return startedReply(started, headers)
    },
  }
}

function toTimestamp(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text)
}

function laterOf(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b)
}
