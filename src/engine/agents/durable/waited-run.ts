import type { Generated, SettledCall } from '../../../agent/answer/generated.ts'
import {
  callIdIn,
  type PendingApproval,
  type PendingCalls,
} from '../../../agent/answer/waiting/pending-calls.ts'
import type { PendingResponses, ResumedAnswer } from '../../../agent/answer/waiting/resumed-answer.ts'
import type { Clock } from '../../../lib/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import type { AgentRunStore } from '../../../store/agent-store.ts'
import type { WaitedRun } from '../../run/run-context.ts'
import { EXPIRED_MESSAGE, expiryKey } from '../expiry.ts'
import { claimRun, continuationOf, type Earlier } from './earlier-run.ts'

interface WaitedRunDeps {
  readonly runs: AgentRunStore
  readonly clock: Clock
  /** Ends the run if it still runs in this process, and resolves when that is recorded. */
  readonly stopHere: (id: string) => Promise<void>
}

/**
 * Claims a run that waited, and now has its responses. A process that crashed may have gone on with it: then it is
 * continued, has ended, or waits again. `undefined` when it was aborted.
 *
 * @throws the recorded error of a run that failed
 */
export async function findWaited(
  { id, steps, responses }: WaitedRun,
  { runs, clock, stopHere }: WaitedRunDeps,
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
        const claimed = await claimRun(runs, row)
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

interface WaitedSubAgent extends WaitedRun {
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
