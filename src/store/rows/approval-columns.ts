import type { ApprovalFilter, ApprovalRow } from '../agents/agent-approvals.ts'

/** Columns of an approval `a` and its run `r`, with the names of the row's properties. */
export const APPROVAL_COLUMNS = [
  ['a.id', 'id'],
  ['a.kind', 'kind'],
  ['a.tool_call_id', 'toolCallId'],
  ['a.tool_name', 'toolName'],
  ['a.input', 'input'],
  ['a.created_at', 'createdAt'],
  ['a.decided_at', 'decidedAt'],
  ['a.decision', 'decision'],
  ['r.id', 'runId'],
  ['r.agent_id', 'agentId'],
  ['r.user_id', 'userId'],
  ['r.conversation_id', 'conversationId'],
  ['r.trace_id', 'traceId'],
  ['r.expires_at', 'expiresAt'],
] as const satisfies readonly (readonly [column: string, key: keyof ApprovalRow])[]

/** The condition of each member of a filter, but for the ids of runs. */
export const APPROVAL_CONDITIONS = {
  id: 'a.id = ?',
  runId: 'r.id = ?',
  agentId: 'r.agent_id = ?',
  userId: 'r.user_id = ?',
  conversationId: 'r.conversation_id = ?',
  isPending: 'a.decided_at IS NULL',
  isForPeople: "a.kind <> 'client-tool' AND r.requester IS NULL AND r.status = 'suspended'",
} as const satisfies Record<Exclude<keyof ApprovalFilter, 'runIds'>, string>
