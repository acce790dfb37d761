import type { AgentRunRow } from '../../../store/agent-store.ts'
import type { Exchange } from '../../../store/agents/conversation-store.ts'
import { AgentRun } from '../agent-run.ts'
import type { KeptRun } from '../durable/kept-run.ts'
import type { StartRunDeps } from './run-deps.ts'

/** The record of a run in progress. */
export function newRun(
  row: AgentRunRow,
  signal: AbortSignal,
  deps: StartRunDeps & {
    readonly onStored?: (exchange: Exchange) => void
    readonly kept?: KeptRun | undefined
  },
): AgentRun {
  const { store, clock, logger, resultBytes: limit, redact, production, meter, span } = deps
  const { approvalsTimeoutMs, durable, place, kept, onStored = () => undefined } = deps
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
      isDurable: durable !== undefined,
      kept,
    },
    signal,
  )
}
