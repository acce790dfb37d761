import type { ClientAdditions } from '../../agent/client-additions.ts'
import type { ToolApproval } from '../../contract/agent-event.ts'
import type { DecidedCall } from '../../contract/endpoints/agents/approvals.ts'
import type { ListedApproval } from '../../contract/endpoints/agents/pending-approvals.ts'
import type { AgentRunRecord } from '../../contract/endpoints/agent.ts'
import { pendingWait } from '../../contract/pending-call.ts'
import type { EventHub } from '../../lib/async/event-hub.ts'
import { WakeUp } from '../../lib/async/wake-up.ts'
import { toIso } from '../../lib/clock.ts'
import type { JsonSchema } from '../../lib/schema/schema.ts'
import { whenAvailable } from '../database-outage.ts'
import type { AnswerExecutions, AskingAnswer } from '../executions/answers.ts'
import type { ApprovalFilter, ApprovalKind, ApprovalRow } from '../../store/agents/agent-approvals.ts'
import { decodeStored } from '../record/values.ts'
import type { AgentRunFilter, AgentRunRow } from '../../store/agent-store.ts'
import type { Page } from '../../store/page.ts'
import type { Store } from '../../store/store.ts'
import { agentRunRecord } from './agent-records.ts'
import { agentIdIn } from './answer-workflow.ts'
import { readDecision } from './responses/recorded-decision.ts'

/** What answers wait for in the middle. */
type Waits = Pick<AnswerExecutions, 'waits' | 'needingInput' | 'countNeedingInput'>

/** Reads the recorded runs of agents. */
export class AgentHistory {
  readonly #store: Store
  readonly #hub: EventHub

  readonly #answers: () => Waits

  /** @param answers what answers wait for in the middle */
  constructor(store: Store, hub: EventHub, answers: () => Waits) {
    this.#store = store
    this.#hub = hub
    this.#answers = answers
  }

  /** Waits until a run has ended, on whatever machine. `undefined` without the run, or when `signal` aborts. */
  async awaitEnd(id: string, signal: AbortSignal): Promise<AgentRunRecord | undefined> {
    const wakeUp = new WakeUp()
    const unsubscribe = this.#hub.subscribe(id, wakeUp.notify)
    signal.addEventListener('abort', wakeUp.notify)
    try {
      while (!signal.aborted) {
        const read = () => this.#store.agentRuns.list({ id }, { limit: 1, offset: 0 })
        const [row] = await whenAvailable(this.#store, read, signal)
        if (row?.status !== 'running') return row && (await this.#toRecords([row]))[0]
        await wakeUp.wait()
      }
      return undefined
    } finally {
      unsubscribe()
      signal.removeEventListener('abort', wakeUp.notify)
    }
  }

  async list(filter: AgentRunFilter, page: Page): Promise<AgentRunRecord[]> {
    const rows = await this.#store.agentRuns.list(filter, page)
    return this.#toRecords(rows)
  }

  /** With what they wait for, and who has decided it. */
  async #toRecords(rows: readonly AgentRunRow[]): Promise<AgentRunRecord[]> {
    if (rows.length === 0) return []
    const filter = { runIds: JSON.stringify(rows.map(({ id }) => id)) }
    const all = await this.#store.agentRuns.approvals(filter, ALL)
    const byRun = new Map(rows.map(({ id }): [string, ApprovalRow[]] => [id, []]))
    for (const one of all) byRun.get(one.runId)?.push(one)
    const waiting = rows.filter(({ status, requester }) => status === 'suspended' && requester === null)
    const waits = new Map(
      await Promise.all(waiting.map(async ({ id }) => [id, await this.#answers().waits(id)] as const)),
    )
    return rows.map((row) => {
      const calls = byRun.get(row.id) ?? []
      const pending = calls.filter(({ decidedAt, kind }) => decidedAt === null && kind !== 'client-tool')
      const decisions = calls.flatMap((one) => decidedCall(one))
      return {
        ...agentRunRecord(row),
        ...(row.status === 'suspended' && { approvals: pending.map((one) => toApproval(one)) }),
        ...(waits.get(row.id)?.length && { waits: [...(waits.get(row.id) ?? [])] }),
        ...(decisions.length > 0 && { decisions }),
      }
    })
  }

  /** What a run was requested with besides its input, and the responses to the calls that it waited for. */
  async request(id: string): Promise<AnswerRequest> {
    const [row] = await this.#store.agentRuns.list({ id }, { limit: 1, offset: 0 })
    const bySuspension = new Map<number, AgentResponse[]>()
    for (const { createdAt, kind, decision } of await this.#store.agentRuns.approvals({ runId: id }, ALL)) {
      if (decision === null) continue
      const round = bySuspension.get(createdAt) ?? []
      bySuspension.set(createdAt, round)
      round.push({ kind, response: { ...readDecision(decision).response } })
    }
    const { client: _client, response: _response, ...options } = optionsOf(row)
    return { options, responses: [...bySuspension.values()] }
  }

  /** A run with what an adapter of another API has recorded of it; `undefined` for the runs of other callers. */
  async response(id: string): Promise<AgentResponseRecord | undefined> {
    const [row] = await this.#store.agentRuns.list({ id }, { limit: 1, offset: 0 })
    const { client = {}, response } = optionsOf(row) as Partial<AgentResponseRecord>
    const [record] = row && response ? await this.#toRecords([row]) : []
    return record && response && { record, client, response }
  }

  /** What people can decide, oldest first: approvals, forms and waits; those of one user, or of all. */
  async pendingApprovals(
    userId: string | null | undefined,
    { limit, offset }: Page,
  ): Promise<ListedApproval[]> {
    const count = offset + limit
    const [approvals, waits] = await Promise.all([
      this.#pendingApprovals(userId, count),
      this.#answers().needingInput(userId, count),
    ])
    const all = [
      ...approvals.map((approval) => ({ approval, since: approval.createdAt })),
      // waits are in the order of their answers
      ...waits.map((answer) => ({ approval: listedWait(answer), since: toIso(answer.row.createdAt) })),
    ]
    const oldestFirst = all.toSorted((one, two) => one.since.localeCompare(two.since))
    return oldestFirst.slice(offset, count).map(({ approval }) => approval)
  }

  async #pendingApprovals(userId: string | null | undefined, count: number): Promise<ListedApproval[]> {
    const page = { limit: count, offset: 0 }
    const rows = await this.#store.agentRuns.approvals(forPeople(userId), page)
    return rows.map((row) => {
      const { runId, agentId: runAgentId, conversationId, traceId, createdAt, expiresAt } = row
      return {
        ...toApproval(row),
        runId,
        runAgentId,
        userId: row.userId,
        conversationId,
        traceId,
        createdAt: toIso(createdAt),
        expiresAt: expiresAt === null ? null : toIso(expiresAt),
      }
    })
  }

  async countPendingApprovals(userId?: string | null): Promise<number> {
    const [approvals, waits] = await Promise.all([
      this.#store.agentRuns.countApprovals(forPeople(userId)),
      this.#answers().countNeedingInput(userId),
    ])
    return approvals + waits
  }

  count(filter: AgentRunFilter): Promise<number> {
    return this.#store.agentRuns.count(filter)
  }
}

/** The model's answers limit how many calls a run waits for. */
const ALL = { limit: Number.MAX_SAFE_INTEGER, offset: 0 }

function decidedCall({ decision, decidedAt, kind, toolCallId, toolName }: ApprovalRow): DecidedCall[] {
  if (decision === null || decidedAt === null) return []
  const { response, by } = readDecision(decision)
  return [
    {
      toolCallId,
      toolName,
      kind,
      ...('approvalId' in response && {
        approvalId: response.approvalId,
        approved: response.approved,
        ...(response.reason !== undefined && { reason: response.reason }),
      }),
      decidedAt: toIso(decidedAt),
      ...by,
    },
  ]
}

/** A run that was started over another API. */
export interface AgentResponseRecord {
  readonly record: AgentRunRecord
  readonly client: ClientAdditions
  readonly response: Readonly<Record<string, unknown>>
}

function optionsOf(row: AgentRunRow | undefined): Readonly<Record<string, unknown>> {
  return decodeStored(row?.options ?? '{}', {})
}

interface AnswerRequest {
  readonly options: Readonly<Record<string, unknown>>
  /** Those of each suspension together, in their order. */
  readonly responses: readonly (readonly AgentResponse[])[]
}

/** A response to a call that a run waited for. */
interface AgentResponse {
  readonly kind: ApprovalKind
  readonly response: Readonly<Record<string, unknown>>
}

function forPeople(userId: string | null | undefined): ApprovalFilter {
  return { userId, isPending: true, isForPeople: true }
}

function listedWait({ row, suspension }: AskingAnswer): ListedApproval {
  const { id: runId, workflowId, userId, conversationId, traceId } = row
  const { resumeSchema, suspendedAt: createdAt, ...wait } = suspension
  const runAgentId = agentIdIn(workflowId) ?? ''
  const schema = (resumeSchema as JsonSchema | null | undefined) ?? undefined
  return {
    ...pendingWait({ ...wait, resumeSchema: schema }, runAgentId),
    approvalId: `${runId}:${wait.path}`,
    runId,
    runAgentId,
    userId,
    conversationId,
    traceId,
    createdAt,
    expiresAt: null,
  }
}

function toApproval({
  id: approvalId,
  kind,
  toolCallId,
  toolName,
  input,
  agentId,
}: ApprovalRow): ToolApproval {
  const call = { approvalId, toolName, toolCallId, agentId }
  if (kind !== 'elicitation') return { ...call, input: decodeStored(input, null) }
  const form = decodeStored<{ message?: string; schema?: JsonSchema }>(input, {})
  return { ...call, input: null, kind, ...form }
}
