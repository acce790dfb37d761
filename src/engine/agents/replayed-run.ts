import type { Logger } from 'pino'
import type { Agent } from '../../agent/agent.ts'
import { byWhom, type Decider, Decision } from '../../contract/access/decision.ts'
import { AppError } from '../../lib/errors.ts'
import { readCallerSchema } from '../../lib/schema/caller-schema.ts'
import type { Schema } from '../../lib/schema/schema.ts'
import type { ApprovalRow } from '../../store/agents/agent-approvals.ts'
import type { AgentRunRow } from '../../store/agent-store.ts'
import type { StepRow } from '../../store/execution-store.ts'
import type { Store } from '../../store/store.ts'
import type { RunFacts } from './continuation.ts'
import { continuationOf } from './durable/earlier-run.ts'
import { type CopiedCalls, copyCalls, type GivenToCall, type ReplayOfRun } from './replay-answer.ts'
import { decidedBy, readDecision } from './responses/recorded-decision.ts'
import { approvalsOfRun, approversOfCalls, ownerOfRun, requireOwnRun } from './responses/run-responses.ts'

interface ReplayDeps {
  readonly store: Store
  readonly logger: Logger
  /** The recorded steps of an answer; `undefined` if it has none. */
  readonly stepsOf: (id: string) => Promise<readonly StepRow[] | undefined>
}

/** What the replay of a run begins with. */
interface ReplayedRun {
  readonly row: AgentRunRow
  readonly facts: RunFacts
  readonly calls: CopiedCalls
  readonly schema: Schema | undefined
  readonly isObject: boolean
}

/**
 * A run that somebody may replay. One that begins behind the approval of a call decides about that again.
 *
 * @throws AppError what the decider's rules throw; `not_found`, `conflict`, and `invalid_input` as `copyCalls`.
 */
export async function replayedRun(
  agent: Agent,
  { runId, decider, ...replay }: ReplayOfRun & { readonly runId: string; readonly decider: Decider },
  { store, logger, stepsOf }: ReplayDeps,
): Promise<ReplayedRun> {
  const [row] = await store.agentRuns.list({ id: runId, agentId: agent.id }, { limit: 1, offset: 0 })
  const stored = await continuationOf(store.agentRuns, runId)
  const owner = row && ownerOfRun(row, stored)
  const subject = { kind: 'run', agentId: agent.id, run: { id: runId, owner } } as const
  const decision = await Decision.decide(decider, subject)
  requireOwnRun(row, { runId, isReader: true, isStreamed: false })
  if (row.status === 'running')
    throw new AppError('conflict', `Run ${runId} has not ended: wait for its end, or cancel it`)
  const steps = stored && (await stepsOf(runId))
  if (!stored || !steps)
    throw new AppError(
      'conflict',
      `The calls of run ${runId} are not recorded, so that it can't be replayed`,
      {
        hint: 'Set resumable: true of the agent, or in the options of the request',
      },
    )
  const { waiting: _, counted: _counted, ...facts } = stored
  const isObject = facts.schema !== null
  const road = isObject ? 'object' : 'text'
  const { instructions = facts.instructions, pauseAt } = replay
  const changed: RunFacts = {
    ...facts,
    exchange: null,
    road,
    // there is no client that executes them
    waits: { ...facts.waits, clientTools: false },
    options: { ...facts.options, pauseAt: pauseAt && [...pauseAt] },
    ...(instructions !== undefined && { instructions }),
  }
  const decided = await approvalsOfRun(store, runId)
  const calls = await copyCalls(agent, { steps, facts: changed, given: givenTo(decided) }, replay)
  const approvers = await approversOfCalls(agent, changed, { calls, decided })
  if (approvers.length > 0) await decider.check({ ...subject, run: { id: runId, owner, approvers } })
  const { userId, by, over } = decision
  const bindings = { runId, agentId: agent.id, stepId: calls.stepId, traceId: row.traceId }
  logger.info({ ...bindings, ...decidedBy(decision) }, `Run replayed${byWhom(userId, by, over)}`)
  const schema = facts.schema === null ? undefined : readCallerSchema(facts.schema)
  return { row, facts: changed, calls, schema, isObject }
}

/** What calls of a run got. The answer to a form is a part of the call, whose outcome is recorded. */
function givenTo(rows: readonly ApprovalRow[]): GivenToCall[] {
  return rows.flatMap(({ kind, toolCallId, decision }) =>
    decision === null || kind === 'elicitation'
      ? []
      : [{ toolCallId, response: readDecision(decision).response }],
  )
}

/** The row of a replay, without what is new in it. It is deleted with the conversation of the original. */
export function replayRow(
  row: AgentRunRow,
  forkedFrom: { readonly runId: string; readonly stepId: string },
): AgentRunRow {
  const options = JSON.parse(row.options ?? '{}') as object
  return {
    ...row,
    status: 'running',
    endedAt: null,
    output: null,
    error: null,
    usage: null,
    steps: null,
    expiresAt: null,
    blockedReason: null,
    options: JSON.stringify({ ...options, forkedFrom }),
  }
}
