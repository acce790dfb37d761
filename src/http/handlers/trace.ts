import { PAGE } from '../../contract/fields.ts'
import { TRACE_SPANS } from '../../contract/endpoints/trace.ts'
import type { traceEndpoints } from '../../contract/endpoints/trace.ts'
import type { Handler } from '../reply/reply.ts'
import { Reply } from '../reply/reply.ts'
import type { Services } from '../services.ts'

type Group = typeof traceEndpoints

export function traceHandlers({ traces }: Services): { [K in keyof Group]: Handler<Group[K]> } {
  return {
    listTraces: async ({ query }) => {
      const { limit = String(PAGE.defaultLimit), cursor, from, to, minDurationMs, q, ...exact } = query
      const filter = {
        ...exact,
        from: from === undefined ? undefined : Date.parse(from),
        to: to === undefined ? undefined : Date.parse(to),
        minDurationMs: minDurationMs === undefined ? undefined : Number(minDurationMs),
        words: q?.split(/\s+/).filter((word) => word !== ''),
      }
      const page = await traces.queries.list(filter, { limit: Number(limit), cursor })
      return new Reply([...page.traces], { headers: nextPage(page.nextCursor) })
    },
    getTrace: async ({ params, query }) => {
      const { limit = String(TRACE_SPANS), cursor } = query
      const { trace, nextCursor } = await traces.queries.trace(params.traceId, {
        limit: Number(limit),
        cursor,
      })
      return new Reply(trace, { headers: nextPage(nextCursor) })
    },
    getSpan: ({ params }) => traces.queries.span(params.spanId),
  }
}

function nextPage(cursor: string | undefined): Record<string, string> {
  return cursor === undefined ? {} : { 'X-Next-Cursor': cursor }
}
