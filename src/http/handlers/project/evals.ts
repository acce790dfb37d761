import { EVAL_CASES } from '../../../contract/endpoints/project/evals.ts'
import type { evalEndpoints } from '../../../contract/endpoints/project/evals.ts'
import { lastEventId } from '../../reply/execution-stream.ts'
import type { Handler } from '../../reply/reply.ts'
import { Reply } from '../../reply/reply.ts'
import { acceptsEvents } from '../../request/accepts-events.ts'
import { pageOf } from '../../request/page-of.ts'
import type { Services } from '../../services.ts'

type Group = typeof evalEndpoints

export function evalHandlers({ evals }: Services): { [K in keyof Group]: Handler<Group[K]> } {
  return {
    listEvals: async ({ access }) => access.readable(await evals.list(), 'eval'),
    listEvalCases: async ({ params: { id }, query }) => {
      const { cases, total } = await evals.cases(id, { ...pageOf(query), caseId: query.caseId })
      return new Reply([...cases], { headers: { 'X-Total-Count': String(total) } })
    },
    listEvalRuns: async ({ params: { id }, query }) => {
      const { runs, total } = await evals.runs(id, pageOf(query))
      return new Reply([...runs], { headers: { 'X-Total-Count': String(total) } })
    },
    runEval: ({ params: { id } }) => evals.run(id),
    getEvalRun: async ({ params: { runId }, query: { limit, offset, after }, headers, access }) => {
      const isStream = acceptsEvents(headers)
      const page = { limit: isStream ? 0 : Number(limit ?? EVAL_CASES), offset: Number(offset ?? 0) }
      const detail = await evals.detail(runId, page)
      await access.to('read', 'eval', detail.evalId)
      if (!isStream) return detail
      const abort = new AbortController()
      return { events: await evals.follow(runId, lastEventId(headers, after), abort.signal), abort }
    },
    cancelEvalRun: async ({ params: { runId }, access }) => {
      const { evalId } = await evals.detail(runId, { limit: 0, offset: 0 })
      await access.to('cancel', 'eval', evalId)
      return evals.cancel(runId)
    },
  }
}
