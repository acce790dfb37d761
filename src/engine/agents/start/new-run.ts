import type { AgentRunRow } from '../../../store/agent-store.ts'
import type { Exchange } from '../../../store/agents/conversation-store.ts'
import { AgentRun } from '../agent-run.ts'
import type { RunRecordDeps } from './run-record-deps.ts'
import type { StartRunDeps } from './run-deps.ts'

/** The record of a run in progress. */
export function newRun(
  row: AgentRunRow,
  signal: AbortSignal,
  deps: StartRunDeps & {
    readonly onStored?: (exchange: Exchange) => void
  } & Pick<RunRecordDeps, 'continuation' | 'isRetried'>,
): AgentRun {
  const { store, clock, logger, resultBytes: limit, redact, production, meter, span } = deps
  const { approvalsTimeoutMs, place, continuation, isRetried, onStored = () => undefined } = deps
  return new AgentRun(
    row,
    {
      runs: store.agentRuns,
      clock,
      logger,
      limit,
      redact,
      production,
      meter,
      span,
      approvalsTimeoutMs,
      onStored,
      place,
      continuation,
      isRetried,
    },
    signal,
  )
}
