import type { Generated, SettledCall } from '../../../agent/answer/generated.ts'
import { NO_USAGE } from '../../../agent/answer/usage.ts'
import { callIdIn } from '../../../agent/answer/waiting/pending-calls.ts'
import type { PendingApproval, PendingCalls } from '../../../agent/answer/waiting/pending-calls.ts'
import type { PendingResponses, ResumedAnswer } from '../../../agent/answer/waiting/resumed-answer.ts'
import { blockedAnswer } from '../../../agent/guardrails/blocked-answer.ts'
import type { AgentStep } from '../../../contract/endpoints/agent.ts'
import type { Clock } from '../../../lib/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import type { AgentRunRow, AgentRunStore } from '../../../store/agent-store.ts'
import { decodeStored } from '../../record/values.ts'
import type { WaitedAnswer } from '../../run/run-context.ts'
import type { StoredContinuation } from '../continuation.ts'
import { EXPIRED_MESSAGE, expiryKey } from '../expiry.ts'
import { storedResponses } from '../responses/answer-responses.ts'
import type { DurableOrigin } from '../running-answer.ts'

/** A run of a process that has ended, which this one has claimed. */
export interface ClaimedAnswer {
  readonly row: AgentRunRow
  readonly continuation: StoredContinuation
  /** What it got before it continued, if it waited. */
  readonly responses: PendingResponses
}

/** A request of a step, or of an agent to a sub-agent. */
export interface NestedRequest extends Pick<DurableOrigin, 'isRetried' | 'calls'> {
  /** The same when the request is made again after a crash. */
  readonly requestKey: string
  /** It has not been made before. */
  readonly isFirst: boolean
}

/** What became of a request: an answer, a run that waits, one to be continued, or nothing yet. */
export interface Earlier {
  readonly answered?: AgentRunRow
  readonly waiting?: { readonly row: AgentRunRow; readonly continuation: StoredContinuation }
  readonly claimed?: ClaimedAnswer
  /** The key for a run that is started. */
  readonly requestKey: string
}

interface FindDeps {
  readonly runs: AgentRunStore
  readonly clock: Clock
  /** Ends the run if it still runs in this process, and resolves when that is recorded. */
  readonly stopHere: (id: string) => Promise<void>
}

/**
 * Finds the run of a request that may have been made before a crash, and claims it.
 *
 * @throws the recorded error of a run that failed
 */
export async function findEarlier({ requestKey, isFirst }: NestedRequest, deps: FindDeps): Promise<Earlier> {
  let key = requestKey
  for (;;) {
    const [row] = isFirst ? [] : await deps.runs.list({ requestKey: key }, { limit: 1, offset: 0 })
    if (!row) return { requestKey: key }
    // what requested it has lost its process before it noticed that
    if (row.status === 'aborted') key = `${key}~`
    else {
      const found = await resolveEarlier(row, deps)
      if (found) return { ...found, requestKey: key }
    }
  }
}

/**
 * Finds the run of an answer that is an execution, and claims it; nothing if it was aborted.
 *
 * @throws the recorded error of a run that failed
 */
export async function findAnswer(id: string, deps: FindDeps): Promise<Omit<Earlier, 'requestKey'>> {
  for (;;) {
    const [row] = await deps.runs.list({ id }, { limit: 1, offset: 0 })
    if (!row) throw new AppError('execution_failed', 'The record of the answer was deleted')
    if (row.status === 'aborted') return {}
    const found = await resolveEarlier(row, deps)
    if (found) return found
  }
}

/** What became of a run that was not aborted; `undefined` when it has changed since it was read. */
async function resolveEarlier(
  row: AgentRunRow,
  { runs, clock, stopHere }: FindDeps,
): Promise<Omit<Earlier, 'requestKey'> | undefined> {
  if (row.status === 'completed') return { answered: row }
  if (row.status === 'error') throw new AppError('execution_failed', row.error ?? 'The agent failed')
  if (row.status === 'suspended') {
    const continuation = await continuationOf(runs, row.id)
    // otherwise it is kept for its step, and has its responses
    if (continuation?.waiting && continuation.counted === undefined) return { waiting: { row, continuation } }
    const waited = continuation && (await claimWaiting(runs, { row, continuation }, clock.now()))
    return waited && { claimed: waited }
  }
  await stopHere(row.id)
  const claimed = await claimAnswer(runs, row)
  return claimed && { claimed }
}

/** The answer of a run that waits for responses. */
export function waitingAnswerOf({ row, continuation }: NonNullable<Earlier['waiting']>): Generated {
  return { ...recordedAnswer({ ...row, output: '""' }, false), ...continuation.waiting }
}

/** Makes this process the owner of a run of which a tool has waited; `undefined` if it does not wait any more. */
async function claimWaiting(
  runs: AgentRunStore,
  { row, continuation }: { readonly row: AgentRunRow; readonly continuation: StoredContinuation },
  decidedAt: number,
): Promise<ClaimedAnswer | undefined> {
  if ((await runs.decide(row.id, [], { decidedAt })) !== 'claimed') return undefined
  const responses = await storedResponses(runs, row.id)
  return { row, continuation, responses }
}

/** Makes this process the owner of a run; `undefined` if it has ended or has another owner by now. */
export async function claimAnswer(
  runs: AgentRunStore,
  { id, ownerEpoch }: Pick<AgentRunRow, 'id' | 'ownerEpoch'>,
): Promise<ClaimedAnswer | undefined> {
  if (!(await runs.claim(id, ownerEpoch))) return undefined
  const [[row], continuation, responses] = await Promise.all([
    runs.list({ id }, { limit: 1, offset: 0 }),
    continuationOf(runs, id),
    storedResponses(runs, id),
  ])
  return row && continuation && { row, continuation, responses }
}

export async function continuationOf(
  runs: AgentRunStore,
  id: string,
): Promise<StoredContinuation | undefined> {
  const text = await runs.continuation(id)
  return text === null ? undefined : (JSON.parse(text) as StoredContinuation)
}

/** Whether the answer of a run is an object, of the schema that it was requested with. */
export function hasObject({ options }: Pick<AgentRunRow, 'options'>): boolean {
  return options !== null && 'schema' in (JSON.parse(options) as object)
}

/** The answer of a run that completed before what requested it noticed that. */
export function recordedAnswer(row: AgentRunRow, hasSchema: boolean): Generated {
  const { output, usage, steps, model, blockedReason } = row
  const [provider = '', ...name] = model.split('/')
  const answered = { provider, modelId: name.join('/'), origin: 'agent' } as const
  const used = decodeStored(usage ?? '', NO_USAGE)
  if (blockedReason !== null) return blockedAnswer({ reason: blockedReason, usage: [used], model: answered })
  if (output === null) throw new AppError('execution_failed', 'The answer was too large to be recorded')
  const value = decodeStored(output, null)
  const made = decodeStored<AgentStep[]>(steps ?? '[]', [])
  return {
    text: typeof value === 'string' && !hasSchema ? value : output,
    reasoning: made.at(-1)?.reasoning,
    object: hasSchema ? value : undefined,
    usage: used,
    finishReason: made.at(-1)?.finishReason ?? 'stop',
    model: answered,
    steps: made as Generated['steps'],
    messages: [],
  }
}

/**
 * Claims a run that waited, and now has its responses. A process that crashed may have gone on with it: then it is
 * continued, has ended, or waits again. `undefined` when it was aborted.
 *
 * @throws the recorded error of a run that failed
 */
export async function findWaited(
  { id, steps, responses }: WaitedAnswer,
  { runs, clock, stopHere }: FindDeps,
): Promise<Earlier | undefined> {
  for (;;) {
    const [row] = await runs.list({ id }, { limit: 1, offset: 0 })
    if (!row) throw new AppError('execution_failed', `The run that waited was deleted: ${id}`)
    const requestKey = row.requestKey ?? ''
    switch (row.status) {
      case 'completed':
        return { answered: row, requestKey }
      case 'error':
        throw new AppError('execution_failed', row.error ?? 'The agent failed')
      case 'aborted':
        return undefined
      case 'suspended': {
        const continuation = await continuationOf(runs, id)
        const { waiting } = continuation ?? {}
        // another process has changed it since it was read
        if (!continuation || !waiting) continue
        if (waiting.steps.length > steps) return { waiting: { row, continuation }, requestKey }
        const decidedAt = clock.now()
        const jobs = { drop: [expiryKey(id)] }
        if ((await runs.decide(id, [], { decidedAt, jobs })) === 'claimed') {
          const given = responses ?? timedOutResponses(waiting.pending)
          return {
            claimed: { row, continuation, responses: given },
            requestKey,
          }
        }
        if (row.expiresAt !== null && row.expiresAt <= decidedAt)
          throw new AppError('execution_failed', EXPIRED_MESSAGE)
        break
      }
      case 'running': {
        await stopHere(id)
        const claimed = await claimAnswer(runs, row)
        if (!claimed) break
        const { waiting } = claimed.continuation
        const given = responses ?? (waiting ? timedOutResponses(waiting.pending) : claimed.responses)
        return { claimed: { ...claimed, responses: given }, requestKey }
      }
    }
  }
}

const TIMED_OUT = 'There was no response in time'

/** The responses to calls whose time is over. */
function timedOutResponses({ approvals, toolCalls }: PendingCalls): PendingResponses {
  return {
    approvals: approvals.map(({ approvalId }) => ({ approvalId, approved: false, reason: TIMED_OUT })),
    toolOutputs: toolCalls.map(({ toolCallId }) => ({ toolCallId, errorText: TIMED_OUT })),
  }
}

interface WaitedSubAgent extends WaitedAnswer {
  readonly calls: readonly PendingApproval[]
}

/** The run of a sub-agent that waited, with its part of the responses to the run that asked it. */
export function waitedSubAgent(
  { subAgents, responses }: ResumedAnswer,
  toolCallId: string,
): WaitedSubAgent | undefined {
  const waiting = subAgents.find((subAgent) => subAgent.toolCallId === toolCallId)
  if (!waiting) return undefined
  const own = new Set(waiting.approvals.map(({ approvalId }) => approvalId))
  const approvals = responses.approvals.filter(({ approvalId }) => own.has(approvalId))
  const { runId: id, steps, approvals: calls, toolCalls } = waiting
  const ownCalls = new Set(toolCalls.map((call) => call.toolCallId))
  const toolOutputs = responses.toolOutputs.flatMap((output) =>
    ownCalls.has(output.toolCallId) ? [{ ...output, toolCallId: callIdIn(id, output.toolCallId) }] : [],
  )
  return { id, steps, calls, responses: { approvals, toolOutputs } }
}

/** What became of the calls that a sub-agent waited with, and its own sub-agents. */
export function settledCalls(
  { steps: count, responses, calls }: WaitedSubAgent,
  { steps, settled = [] }: Generated,
): SettledCall[] {
  const results = steps[count - 1]?.toolResults ?? []
  const known = new Set(settled.map(({ approvalId }) => approvalId))
  const own = calls.filter(({ approvalId }) => !known.has(approvalId))
  return [
    ...settled,
    ...own.map(({ approvalId, toolCallId, kind }) => {
      const response = responses?.approvals.find((one) => one.approvalId === approvalId)
      const isDenied = response?.approved !== true && kind !== 'elicitation'
      const result = isDenied ? undefined : results.find((one) => one.toolCallId === toolCallId)
      return { approvalId, isDenied, result }
    }),
  ]
}
