import type { logEndpoints, LogQuery } from '../../contract/endpoints/log.ts'
import { LOG_PAGE } from '../../contract/endpoints/log.ts'
import { levelNumber } from '../../observability/logs/log-entry.ts'
import type { LogFilter } from '../../store/log-store.ts'
import type { Handler } from '../reply/reply.ts'
import { Reply } from '../reply/reply.ts'
import type { Services } from '../services.ts'

type Group = typeof logEndpoints

export function logHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const list = async (query: LogQuery, more: Pick<LogFilter, 'traced'> = {}) => {
    const { limit, cursor } = query
    const { records, next } = await services.current().logs.list(
      { ...filterOf(query), ...more },
      {
        limit: Number(limit ?? LOG_PAGE.defaultLimit),
        before: cursor === undefined ? undefined : Number(cursor),
      },
    )
    return new Reply([...records], { headers: next === undefined ? {} : { 'X-Next-Cursor': String(next) } })
  }
  // a trace or span without log records may still exist: the queries throw 404 when it does not
  return {
    listLogs: ({ query }) => list(query),
    listTracedLogs: ({ query }) => list(query, { traced: true }),
    listTraceLogs: async ({ params, query }) => {
      const reply = await list({ ...query, ...params })
      if (reply.data.length === 0) await services.traces.queries.summary(params.traceId)
      return reply
    },
    listSpanLogs: async ({ params, query }) => {
      const reply = await list({ ...query, ...params })
      if (reply.data.length === 0) await services.traces.queries.span(params.spanId)
      return reply
    },
  }
}

function filterOf({ level, since, until, q, limit: _limit, cursor: _cursor, ...exact }: LogQuery): LogFilter {
  return {
    ...exact,
    level: level === undefined ? undefined : levelNumber(level),
    since: since === undefined ? undefined : Date.parse(since),
    until: until === undefined ? undefined : Date.parse(until),
    words: q?.trim().split(/\s+/),
  }
}
