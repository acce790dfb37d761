import type { AgentRunRow } from '../agent-store.ts'

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
] as const satisfies readonly (readonly [column: string, key: keyof AgentRunRow])[]
