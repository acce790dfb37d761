import type { AgentRunStore } from '../../agent-store.ts'
import type { JobWriter } from '../executions/job-writer.ts'
import { PostgresAgentRuns } from './agent-runs.ts'
import type { PostgresAgentRunDeps } from './agent-runs.ts'
import { PostgresRunApprovals } from './run-approvals.ts'
import { PostgresRunJournal } from './run-journal.ts'

/** Agent runs in Postgres, with their journals and approvals. */
export function postgresAgentRuns(deps: PostgresAgentRunDeps & { readonly jobs: JobWriter }): AgentRunStore {
  const runs = new PostgresAgentRuns(deps)
  const journal = new PostgresRunJournal(deps)
  const approvals = new PostgresRunApprovals(deps)
  return {
    insert: (row, continuation, exchange) => runs.insert(row, continuation, exchange),
    finish: (id, end, exchange) => runs.finish(id, end, exchange),
    abort: (id, endedAt) => runs.abort(id, endedAt),
    list: (filter, page) => runs.list(filter, page),
    count: (filter) => runs.count(filter),
    usageOf: (executionIds) => runs.usageOf(executionIds),
    endOrphaned: (end) => runs.endOrphaned(end),
    prune: (retention, limit) => runs.prune(retention, limit),
    continuation: (id) => journal.continuation(id),
    claim: (id, from) => journal.claim(id, from),
    appendParts: (parts) => journal.appendParts(parts),
    parts: (id, range) => journal.parts(id, range),
    pruneParts: (endedBefore, limit) => journal.pruneParts(endedBefore, limit),
    suspend: (id, suspension, jobs) => approvals.suspend(id, suspension, jobs),
    decide: (id, decisions, options) => approvals.decide(id, decisions, options),
    expire: (id, end) => approvals.expire(id, end),
    approvals: (filter, page) => approvals.approvals(filter, page),
    countApprovals: (filter) => approvals.countApprovals(filter),
  }
}
