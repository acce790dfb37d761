import type { Agent } from '../../../agent/agent.ts'
import { byWhom, Decision } from '../../../contract/access/decision.ts'
import type { Logger } from 'pino'
import type { Decider } from '../../../contract/access/decision.ts'
import { AppError } from '../../../lib/errors.ts'
import type { AgentRunRow } from '../../../store/agent-store.ts'
import type { Store } from '../../../store/store.ts'
import { decidedBy } from './recorded-decision.ts'
import { continuationIn, ownerOfRun, readsAnswer, requireOwnRun } from './run-responses.ts'

interface WaitingRunCall {
  readonly runId: string
  readonly decider: Decider
  /** Whether the decider gets the answer part by part, which only who may read it can. */
  readonly isStreamed?: boolean
}

interface WaitingRun {
  readonly row: AgentRunRow
  /** Whether who resumes it may read the answer. */
  readonly isReader: boolean
  readonly isObject: boolean
  /** Logs who has resumed it. */
  readonly onResumed: () => void
}

/**
 * The run of which a tool waits, if the decider may resume it.
 *
 * @throws AppError what the decider's rules throw; `not_found` when the run is unknown; `conflict` when no tool of it waits.
 */
export async function waitingRun(
  agent: Agent,
  { runId, decider, isStreamed = false }: WaitingRunCall,
  { store, logger }: { readonly store: Store; readonly logger: Logger },
): Promise<WaitingRun> {
  const [row] = await store.agentRuns.list({ id: runId, agentId: agent.id }, { limit: 1, offset: 0 })
  const continuation = continuationIn(await store.agentRuns.continuation(runId))
  const owner = row && ownerOfRun(row, continuation)
  const run = { id: runId, owner, approvers: [undefined] }
  const decision = await Decision.decide(decider, { kind: 'run', agentId: agent.id, run })
  const isReader = readsAnswer(decider, owner ?? null)
  requireOwnRun(row, { runId, isReader, isStreamed })
  if (row.status !== 'suspended')
    throw new AppError('conflict', `No tool of run ${runId} waits: its status is ${row.status}`)
  const onResumed = () => {
    const { userId, by, over } = decision
    const bindings = { runId, agentId: agent.id, traceId: row.traceId, ...decidedBy(decision) }
    logger.info(bindings, `Run resumed${byWhom(userId, by, over)}`)
  }
  return { row, isReader, isObject: continuation?.schema != null, onResumed }
}
