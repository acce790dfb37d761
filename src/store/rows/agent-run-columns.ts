import type { AgentRunFilter, AgentRunRow } from '../agent-store.ts'

/** Columns of `agent_runs`, with the names of the row's properties. */
export const AGENT_RUN_COLUMNS = [
  ['id', 'id'],
  ['agent_id', 'agentId'],
  ['status', 'status'],
  ['owner_epoch', 'ownerEpoch'],
  ['started_at', 'startedAt'],
  ['ended_at', 'endedAt'],
  ['user_id', 'userId'],
  ['conversation_id', 'conversationId'],
  ['trace_id', 'traceId'],
  ['input', 'input'],
  ['output', 'output'],
  ['error', 'error'],
  ['model', 'model'],
  ['usage', 'usage'],
  ['steps', 'steps'],
  ['requester', 'requester'],
  ['parent_id', 'parentId'],
  ['request_key', 'requestKey'],
  ['expires_at', 'expiresAt'],
  ['blocked_reason', 'blockedReason'],
  ['options', 'options'],
] as const satisfies readonly (readonly [column: string, key: keyof AgentRunRow])[]

/** The condition of each member of a filter. */
export const AGENT_RUN_CONDITIONS = {
  id: 'id = ?',
  agentId: 'agent_id = ?',
  status: 'status = ?',
  userId: 'user_id = ?',
  conversationId: 'conversation_id = ?',
  requestKey: 'request_key = ?',
  changedSince: 'coalesce(ended_at, started_at) >= ?',
} as const satisfies Record<keyof AgentRunFilter, string>

/** The continuation of a run that ends: that of a caller is replayed with what it was requested with. */
export const KEPT_REQUEST = 'CASE WHEN requester IS NULL THEN continuation END'

/**
 * Whether a run of a process that has died is continued without being requested again, and not by its execution: that has not
 * begun, or waits for what the run has got.
 */
export const isTakenOver = (executions: string): string =>
  `(ended_at IS NULL AND status = 'running' AND continuation IS NOT NULL AND requester IS NULL
  AND NOT EXISTS (SELECT 1 FROM ${executions} e WHERE e.id = agent_runs.id AND e.status = 'running'))`

/** Whether nobody continues a run of a process that has died. */
export const IS_ORPHAN = `(continuation IS NULL
  OR EXISTS (SELECT 1 FROM executions e
    WHERE e.id IN (agent_runs.id, agent_runs.parent_id) AND e.ended_at IS NOT NULL)
  OR EXISTS (SELECT 1 FROM agent_runs p WHERE p.id = agent_runs.parent_id AND p.ended_at IS NOT NULL))`
