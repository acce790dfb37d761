import type { Logger } from 'pino'
import type { Agent } from '../../../agent/agent.ts'
import { callIdIn, clientCallId } from '../../../agent/answer/waiting/pending-calls.ts'
import type { PendingCalls } from '../../../agent/answer/waiting/pending-calls.ts'
import type { ApprovalResponse, PendingResponses } from '../../../agent/answer/waiting/resumed-answer.ts'
import type { AgentInput } from '../../../agent/per-request.ts'
import { withClient } from '../../../agent/client-additions.ts'
import { resolveAgent } from '../../../agent/resolve-agent.ts'
import { validateClientOutput, validateForm, validateInput } from '../../../agent/tools/call-tool.ts'
import type { Tool } from '../../../agent/tools/tool.ts'
import type { Approvers } from '../../../contract/access/callers.ts'
import { byWhom, Decision } from '../../../contract/access/decision.ts'
import type { Decider } from '../../../contract/access/decision.ts'
import { userKey } from '../../../contract/access/user-key.ts'
import type { Clock } from '../../../lib/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import type { AgentRunRow } from '../../../store/agent-store.ts'
import type { ApprovalDecision, ApprovalRow } from '../../../store/agents/agent-approvals.ts'
import type { Store } from '../../../store/store.ts'
import { decodeStored } from '../../record/values.ts'
import { agentInput, answersObject } from '../continuation.ts'
import type { Continuation } from '../continuation.ts'
import { expiryKey } from '../expiry.ts'
import { decidedBy, readDecision, recordedDecision } from './recorded-decision.ts'

/** Responses to calls that a run waits for. */
export interface AnswerResponse {
  readonly runId: string
  readonly decider: Decider
  readonly responses: PendingResponses
  /** Whether the decider gets the answer part by part, which only who may read it can. */
  readonly isStreamed?: boolean
}

/** A run whose calls have got responses. */
export interface RespondedAnswer {
  readonly row: AgentRunRow
  /** Whether who responded may read the answer. */
  readonly isReader: boolean
  readonly continuation: Continuation
  /** What it still waits for; `undefined` when this process continues with it. */
  readonly pending: PendingCalls | undefined
  /** All responses, also earlier ones. */
  readonly responses: PendingResponses
}

/** The model's answer limits how many approvals a run waits for; with a part of them it could not continue. */
const ALL = { limit: Number.MAX_SAFE_INTEGER, offset: 0 }

interface ResponseDeps {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Stores the responses to calls that a run waits for, if the decider may decide. With the last one, this process has to
 * continue with the run.
 *
 * @throws AppError what the decider's rules throw; `not_found` when the run, or a call in it, is unknown; `conflict` when a call has its response already,
 *   or the run does not wait; `invalid_input` naming the field when arguments or outputs don't match the tool's schema.
 */
export async function respondToAnswer(
  agent: Agent,
  { runId, decider, responses, isStreamed = false }: AnswerResponse,
  { store, clock, logger }: ResponseDeps,
): Promise<RespondedAnswer> {
  const [row] = await store.agentRuns.list({ id: runId, agentId: agent.id }, { limit: 1, offset: 0 })
  const stored = continuationIn(await store.agentRuns.continuation(runId))
  const owner = row && ownerOfAnswer(row, stored)
  // without it, a tool waits in its middle
  const continuation = stored?.waiting ? stored : undefined
  const { approvals, toolOutputs } = responses
  const approvers = continuation ? await approversOf(agent, continuation, { approvals, store }) : []
  const run = { id: runId, owner, approvers: [...approvers, ...toolOutputs.map(() => undefined)] }
  const decision = await Decision.decide(decider, { kind: 'run', agentId: agent.id, run })
  const isReader = readsAnswer(decider, owner ?? null)
  requireOwnAnswer(row, { runId, isReader, isStreamed })
  const rows = await approvalsOfAnswer(store, runId)
  checkPending(row, rows, responses)
  if (row.status !== 'suspended' || isExpired(row, clock)) throw notWaiting(row, clock)
  if (!continuation) throw notWaiting(row, clock)
  await checkValues(agent, continuation, { responses, store })
  const decisions = decisionsOf(runId, responses, decision)
  const jobs = { drop: [expiryKey(runId)] }
  const result = await store.agentRuns.decide(runId, decisions, { decidedAt: clock.now(), jobs })
  const decided = await approvalsOfAnswer(store, runId)
  if (result === 'refused') {
    // another request was first, or the time has come
    checkPending(row, decided, responses)
    throw notWaiting(row, clock)
  }
  logDecision(logger, row, { responses, decision, decided })
  const open = new Set(decided.filter(({ decidedAt }) => decidedAt === null).map(({ id }) => id))
  return {
    row,
    isReader,
    continuation,
    pending: result === 'waiting' ? pendingIn(runId, continuation, open) : undefined,
    responses: responsesIn(decided),
  }
}

/**
 * What a request that continues with a run requires once its decision is allowed: a run that is no part of another, and
 * that the caller may read if the answer is streamed.
 */
export function requireOwnAnswer(
  row: AgentRunRow | undefined,
  { runId, isReader, isStreamed }: { runId: string; isReader: boolean; isStreamed: boolean },
): asserts row {
  if (!row) throw new AppError('not_found', `Run not found: ${runId}`)
  if (isStreamed && !isReader)
    throw new AppError(
      'forbidden',
      'Only the user who asked gets the answer: send the request without events',
    )
  if (row.requester === 'lab')
    throw new AppError('conflict', `Run ${runId} is a trial, which does not continue`)
  if (row.requester !== null) throw new AppError('conflict', `Run ${runId} is a part of ${partOf(row)}`)
}

/** Whether somebody who may decide about the calls of a run may read its answer: a second person may not. */
export function readsAnswer({ by, user }: Decider, owner: string | null): boolean {
  return by !== 'user' || user === undefined || userKey(user) === owner
}

/** The key of the user who started a run. The record of one without a continuation has only the user's id. */
export function ownerOfAnswer(
  { userId }: AgentRunRow,
  continuation: Pick<Continuation, 'user'> | undefined,
): string | null {
  const user = continuation ? continuation.user : userId !== null && { id: userId }
  return user ? userKey(user) : null
}

/** All responses that a run has got. */
export async function storedResponses(
  agentRuns: Store['agentRuns'],
  runId: string,
): Promise<PendingResponses> {
  return responsesIn(await approvalsOfAnswer({ agentRuns }, runId))
}

/** What a run waits for, and has waited for. */
export function approvalsOfAnswer(
  store: Pick<Store, 'agentRuns'>,
  runId: string,
): Promise<readonly ApprovalRow[]> {
  return store.agentRuns.approvals({ runId }, ALL)
}

function checkPending(
  row: AgentRunRow,
  rows: readonly ApprovalRow[],
  { approvals, toolOutputs }: PendingResponses,
): void {
  const byId = new Map(rows.map((one) => [one.id, one]))
  const check = (id: string, label: string, path: string, seen: Set<string>) => {
    if (seen.has(id)) throw new AppError('invalid_input', `${path}: ${label} has two responses`)
    seen.add(id)
    const found = byId.get(id)
    if (!found) throw new AppError('not_found', `${label} is not one that run ${row.id} waits for`)
    if (found.decidedAt !== null) throw new AppError('conflict', `${label} already has a response`)
  }
  const seen = new Set<string>()
  for (const [index, { approvalId }] of approvals.entries())
    check(approvalId, `Approval ${approvalId}`, `approvals[${index}].approvalId`, seen)
  for (const [index, { toolCallId }] of toolOutputs.entries())
    check(
      clientCallId(row.id, toolCallId),
      `Tool call ${toolCallId}`,
      `toolOutputs[${index}].toolCallId`,
      seen,
    )
}

function isExpired({ expiresAt }: AgentRunRow, clock: Clock): boolean {
  return expiresAt !== null && expiresAt <= clock.now()
}

function notWaiting(row: AgentRunRow, clock: Clock): AppError {
  return isExpired(row, clock)
    ? new AppError('conflict', `The approvals of run ${row.id} have expired`)
    : new AppError('conflict', `Run ${row.id} does not wait for a response: its status is ${row.status}`)
}

interface CheckedResponses {
  readonly responses: PendingResponses
  readonly store: Store
  /** Before the paths in error messages. */
  readonly at?: string
}

/** Validates edited arguments and the outputs of client tools. */
export async function checkValues(
  agent: Agent,
  continuation: Continuation,
  { responses: { approvals, toolOutputs }, store, at = '' }: CheckedResponses,
): Promise<void> {
  const { pending } = continuation.waiting
  for (const [index, { approvalId, approved, input }] of approvals.entries()) {
    const call = pending.approvals.find((one) => one.approvalId === approvalId)
    if (!call || !approved) continue
    if (call.schema) {
      await validateForm(call.schema, input, `${at}approvals[${index}].input`)
      continue
    }
    const tool = await toolOf(agent, continuation, { ...call, id: approvalId }, store)
    if (input !== undefined) await validateInput(tool, input, `${at}approvals[${index}].input`)
  }
  for (const [index, { toolCallId, output, errorText }] of toolOutputs.entries()) {
    const call = pending.toolCalls.find((one) => one.toolCallId === toolCallId)
    if (!call || errorText !== undefined) continue
    const tool = await toolOf(agent, continuation, { ...call, id: toolCallId }, store)
    await validateClientOutput(tool, output, `${at}toolOutputs[${index}].output`)
  }
}

/**
 * Who approves the calls that responses are for, if their tools declare it. A call that the run does not wait for, a form,
 * and one whose tool was removed have none.
 */
export async function approversOf(
  agent: Agent,
  continuation: Continuation,
  { approvals, store }: { readonly approvals: readonly ApprovalResponse[]; readonly store: Store },
): Promise<(Approvers | undefined)[]> {
  const { pending } = continuation.waiting
  return Promise.all(
    approvals.map(async ({ approvalId }) => {
      const call = pending.approvals.find((one) => one.approvalId === approvalId)
      if (!call || call.schema) return undefined
      const tool = await findTool(agent, continuation, { ...call, id: approvalId }, store)
      return tool?.access?.approvedBy
    }),
  )
}

/** The tools of an agent and of its sub-agents. */
export async function toolsWithin(agent: Agent, input: AgentInput): Promise<readonly Tool[]> {
  const nested = await Promise.all(agent.subAgents.map((subAgent) => toolsWithin(subAgent, input)))
  const { tools } = await resolveAgent(agent, input, new AbortController().signal)
  return [...tools, ...nested.flat()]
}

interface WaitingCall {
  /** Of its approval, or of the call of a tool that the client executes. */
  readonly id: string
  readonly toolName: string
  /** Default: the agent itself. */
  readonly agentId?: string
}

async function toolOf(
  agent: Agent,
  continuation: Continuation,
  call: WaitingCall,
  store: Store,
): Promise<Tool> {
  const tool = await findTool(agent, continuation, call, store)
  if (tool) return tool
  const { toolName, agentId = agent.id } = call
  throw new AppError('conflict', `Tool "${toolName}" was removed since agent "${agentId}" called it`)
}

/** The tool of a call, which may be one of a sub-agent; `undefined` if it was removed. */
async function findTool(
  agent: Agent,
  continuation: Continuation,
  call: WaitingCall,
  store: Store,
): Promise<Tool | undefined> {
  const { toolName, id } = call
  for (const { approvals, toolCalls, runId, agentId } of continuation.waiting.pending.subAgents) {
    const isClients = toolCalls.some(({ toolCallId }) => toolCallId === id)
    if (!isClients && !approvals.some(({ approvalId }) => approvalId === id)) continue
    const subAgent = agent.subAgents.find((one) => one.id === agentId)
    const own = continuationIn(await store.agentRuns.continuation(runId))
    const inner = isClients ? { ...call, id: callIdIn(runId, id) } : call
    return subAgent && own && findTool(subAgent, own, inner, store)
  }
  const resolved = await resolveAgent(agent, agentInput(continuation), new AbortController().signal)
  const { tools } = await withClient(resolved, continuation.client)
  return tools.find(({ name }) => name === toolName)
}

/** The continuation of a run that waits; `undefined` without one. */
export function continuationIn(text: string | null): Continuation | undefined {
  return text === null ? undefined : decodeStored<Continuation | undefined>(text, undefined)
}

function decisionsOf(
  runId: string,
  { approvals, toolOutputs }: PendingResponses,
  decision: Decision,
): ApprovalDecision[] {
  return [
    ...approvals.map((response) => ({
      id: response.approvalId,
      decision: recordedDecision(response, decision),
    })),
    ...toolOutputs.map((output) => ({
      id: clientCallId(runId, output.toolCallId),
      decision: recordedDecision(output, decision),
    })),
  ]
}

/** Who decided which calls, in the log. */
function logDecision(
  logger: Logger,
  { id: runId, agentId, traceId }: AgentRunRow,
  {
    responses: { approvals, toolOutputs },
    decision,
    decided,
  }: { responses: PendingResponses; decision: Decision; decided: readonly ApprovalRow[] },
): void {
  const names = new Map(decided.map(({ id, toolName }) => [id, toolName]))
  const named = (approved: boolean) =>
    approvals.flatMap((one) => (one.approved === approved ? [names.get(one.approvalId)] : []))
  const outputs = toolOutputs.map(({ toolCallId }) => names.get(clientCallId(runId, toolCallId)))
  const calls = { approved: named(true), denied: named(false), outputs }
  const { userId, by, over } = decision
  const text = `Tool calls decided${byWhom(userId, by, over)}`
  logger.info({ runId, agentId, traceId, ...decidedBy(decision), ...calls }, text)
}

/** All responses that a run has got since it waits. */
function responsesIn(rows: readonly ApprovalRow[]): PendingResponses {
  const decisions = rows.flatMap(({ decision }) =>
    decision === null ? [] : [readDecision(decision).response],
  )
  return {
    approvals: decisions.flatMap((decision) => ('approvalId' in decision ? [decision] : [])),
    toolOutputs: decisions.flatMap((decision) => ('approvalId' in decision ? [] : [decision])),
  }
}

function pendingIn(runId: string, { waiting }: Continuation, open: ReadonlySet<string>): PendingCalls {
  const { approvals, toolCalls, subAgents } = waiting.pending
  return {
    approvals: approvals.filter(({ approvalId }) => open.has(approvalId)),
    toolCalls: toolCalls.filter(({ toolCallId }) => open.has(clientCallId(runId, toolCallId))),
    subAgents,
  }
}

/** What the responses to a run that is a part of it are sent to. */
function partOf({ requester, parentId }: AgentRunRow): string {
  return requester === 'step' ? `execution ${parentId}: resume that` : `run ${parentId}: respond to that`
}

interface WaitingAnswerCall {
  readonly runId: string
  readonly decider: Decider
  /** Whether the decider gets the answer part by part, which only who may read it can. */
  readonly isStreamed?: boolean
}

interface WaitingToolAnswer {
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
export async function answerWithWaitingTool(
  agent: Agent,
  { runId, decider, isStreamed = false }: WaitingAnswerCall,
  { store, logger }: { readonly store: Store; readonly logger: Logger },
): Promise<WaitingToolAnswer> {
  const [row] = await store.agentRuns.list({ id: runId, agentId: agent.id }, { limit: 1, offset: 0 })
  const continuation = continuationIn(await store.agentRuns.continuation(runId))
  const owner = row && ownerOfAnswer(row, continuation)
  const run = { id: runId, owner, approvers: [undefined] }
  const decision = await Decision.decide(decider, { kind: 'run', agentId: agent.id, run })
  const isReader = readsAnswer(decider, owner ?? null)
  requireOwnAnswer(row, { runId, isReader, isStreamed })
  if (row.status !== 'suspended')
    throw new AppError('conflict', `No tool of run ${runId} waits: its status is ${row.status}`)
  const onResumed = () => {
    const { userId, by, over } = decision
    const bindings = { runId, agentId: agent.id, traceId: row.traceId, ...decidedBy(decision) }
    logger.info(bindings, `Run resumed${byWhom(userId, by, over)}`)
  }
  return { row, isReader, isObject: continuation !== undefined && answersObject(continuation), onResumed }
}
