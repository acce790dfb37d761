import type { CallerAccess } from '../../auth/caller-access.ts'
import { MAX_CANCELLED_AT_ONCE, MAX_REPLAYED_AT_ONCE, MAX_STEPS } from '../../contract/endpoints/execution.ts'
import type { executionEndpoints } from '../../contract/endpoints/execution.ts'
import { metadataIn } from '../../contract/metadata.ts'
import { AppError } from '../../lib/errors.ts'
import type { ExecutionFilter, ExecutionRow } from '../../store/execution-store.ts'
import { serverOrigin } from '../request/server-origin.ts'
import { PAGE } from '../../contract/fields.ts'
import type { ExecutionRef } from '../../engine/executions/find.ts'
import { countedRows, eraseRecords } from '../erase-records.ts'
import type { Handler, ValidRequest } from '../reply/reply.ts'
import { Reply } from '../reply/reply.ts'
import type { Services } from '../services.ts'
import { executionStream, lastEventId } from '../reply/execution-stream.ts'
import { startedReply } from '../reply/started-reply.ts'

type Group = typeof executionEndpoints

/** The filters of a list, and of a change of many executions. */
type Filters = ValidRequest<Group['cancelExecutions']>['body']['filter']

type DetailRequest = Pick<ValidRequest<Group['getExecution']>, 'access' | 'raw' | 'query'>

export function executionHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const executions = () => services.current().engine.executions
  const queries = () => services.current().engine.queries
  const ref = ({ id, executionId }: { id: string; executionId: string }): ExecutionRef => ({
    workflowId: id,
    executionId,
  })
  const detail = async (
    wanted: ExecutionRef,
    { access, raw, query: { steps, stepsOffset } }: DetailRequest,
  ) => {
    const row = await executions().find(wanted)
    const isPaged = steps !== undefined || stepsOffset !== undefined
    const page = isPaged ? { limit: Number(steps ?? MAX_STEPS), offset: Number(stepsOffset ?? 0) } : undefined
    const resumeUrl = await linkTo(row, raw)
    const mayResume = resumeUrl !== undefined && (await access.mayDo('resume', row.id))
    return { ...(await queries().detail(row, page)), ...(mayResume && { resumeUrl }) }
  }
  const linkTo = async (row: ExecutionRow, request: Request): Promise<string | undefined> => {
    const linked = await executions().linked(row)
    const { links, config } = services.current()
    const token = linked && links.tokenOf(linked)
    if (token === undefined) return undefined
    return `${config.publicUrl ?? serverOrigin(request, services.trustedOrigins())}/links/${token}`
  }
  const follow = async (
    wanted: ExecutionRef,
    request: Pick<ValidRequest<Group['followExecution']>, 'query' | 'headers'>,
    stacks: boolean,
  ) => {
    const row = await executions().find(wanted)
    return executionStream(services, row, {
      after: lastEventId(request.headers, request.query.after),
      until: 'final',
      include: request.query.include,
      stacks,
    })
  }
  const filterOf = async (query: Filters, access: CallerAccess): Promise<ExecutionFilter> => {
    const { workflowId, status, userId, conversationId, parentExecutionId, forkedFrom, failure, scheduleId } =
      query
    const { from, to, needsInput, q } = query
    const recordLimit = await access.limit()
    const openTo = recordLimit && (recordLimit.owner ?? '')
    const search = q === undefined ? undefined : await services.current().search.filterOf(q)
    return {
      workflowId,
      status,
      userId,
      conversationId,
      parentExecutionId,
      forkedFrom,
      failure,
      scheduleId,
      from: laterOf(toTimestamp(from), search?.from),
      to: toTimestamp(to),
      needsInput: needsInput === 'true' ? true : undefined,
      sleeps: needsInput === 'false' ? true : undefined,
      metadata: metadataIn(query),
      search,
      openTo,
    }
  }
  const list = async ({ query, access }: Pick<ValidRequest<Group['listExecutions']>, 'query' | 'access'>) => {
    const { limit, offset } = query
    const filter = await filterOf(query, access)
    const page = { limit: Number(limit ?? PAGE.defaultLimit), offset: Number(offset ?? 0) }
    const records = await access.readable(await queries().list(filter, page))
    if (limit === undefined && offset === undefined) return records
    return new Reply(records, { headers: { 'X-Total-Count': String(await queries().count(filter)) } })
  }
  return {
    listExecutions: list,
    observeExecutions: list,
    cancelExecutions: async ({ body: { filter: given, dryRun = false, reason }, access, user }) => {
      const filter = await filterOf(given, access)
      const chosen = { filter, ended: false, limit: MAX_CANCELLED_AT_ONCE }
      const matched = await executions().countChosen(chosen)
      if (dryRun) return { matched, cancelled: [], failed: [] }
      const { done, failed } = await executions().changeChosen(chosen, async ({ id: executionId }) => {
        if (!(await access.mayDo('cancel', executionId))) return undefined
        await executions().cancel({ executionId }, reason, { user })
        return executionId
      })
      return { matched, cancelled: [...done], failed: [...failed] }
    },
    replayExecutions: async ({ body: { filter: given, dryRun = false, stepId }, access, trace }) => {
      const { decider } = access
      const filter = await filterOf(given, access)
      const chosen = { filter, ended: true, limit: MAX_REPLAYED_AT_ONCE }
      const matched = await executions().countChosen(chosen)
      if (dryRun) return { matched, replayed: [], failed: [] }
      // a second request could not tell which of them have a replay
      if (matched > MAX_REPLAYED_AT_ONCE)
        throw new AppError(
          'invalid_input',
          `filter: finds ${matched} executions; one request replays ${MAX_REPLAYED_AT_ONCE}. Narrow it, for example by from and to`,
        )
      const { done, failed } = await executions().changeChosen(chosen, async (row) => {
        if (!(await access.mayDo('replay', row.id))) return undefined
        const from = stepId ?? (await executions().stepToReplay(row))
        const started = await executions().replay({ executionId: row.id }, from, { trace, decider })
        await started.stored()
        return { executionId: started.executionId, forkedFrom: row.id }
      })
      return { matched, replayed: [...done], failed: [...failed] }
    },
    getExecutionState: async ({ params }) => queries().state(await executions().find(ref(params))),
    getExecution: (request) => detail(ref(request.params), request),
    observeExecution: (request) => detail(request.params, request),
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
    cancelExecution: async ({ params, body: { reason, force }, user }) => {
      const result = await executions().cancel(ref(params), reason, { user, force })
      return new Reply(result, { status: result.status === 'cancelled' ? 200 : 202 })
    },
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
