import { z } from 'zod'
import { ObjectStreamPart, ToolApproval, UiMessageChunk } from '../../agent-event.ts'
import { endpoints } from '../../endpoint.ts'
import { Id, Instant, PageQuery } from '../../fields.ts'
import { AgentAnswer, AgentObject } from '../agent.ts'
import { StepWait } from '../../step-wait.ts'
import { ApprovalsBody, ResumeRunBody } from './approvals.ts'

export const ListedApproval = ToolApproval.extend({
  runId: z.string(),
  runAgentId: z.string().describe('Agent of the run'),
  userId: z.string().nullable(),
  conversationId: z.string().nullable(),
  traceId: z.string(),
  createdAt: Instant,
  wait: StepWait.pick({ stepId: true, path: true, reason: true, data: true })
    .optional()
    .describe(
      'Of a tool or budget that waits in the middle: resume the run with `path` as `stepId`, instead of approving',
    ),
  expiresAt: Instant.nullable().describe('When the run ends without a decision; null for a wait'),
}).meta({ id: 'ListedApproval' })
export type ListedApproval = z.infer<typeof ListedApproval>

export const pendingApprovalEndpoints = endpoints({
  listApprovals: {
    method: 'GET',
    path: '/observability/approvals',
    lists: 'records',
    group: 'observability',
    tag: 'Agents',
    summary:
      'Lists what people can decide in the answers of all agents, oldest first: approvals, forms, and the first wait of each answer',
    query: PageQuery,
    reply: { kind: 'data', schema: z.array(ListedApproval), paged: true },
    errors: [400],
  },
  decideApprovals: {
    method: 'POST',
    path: '/observability/agents/:id/runs/:runId/approvals',
    action: 'resume',
    decides: 'http',
    group: 'observability',
    tag: 'Agents',
    summary:
      'Approves or denies tool calls of a run of any user; the run continues if the client disconnects',
    params: z.object({ id: Id.describe('Agent id'), runId: Id.describe('Run id') }),
    body: ApprovalsBody,
    reply: {
      kind: 'data',
      schema: z.union([AgentAnswer, AgentObject]),
      events: z.union([UiMessageChunk, ObjectStreamPart]),
    },
    errors: [400, 404, 409, 413, 415, 429],
  },
  resumeWaitingRun: {
    method: 'POST',
    path: '/observability/agents/:id/runs/:runId/resume',
    action: 'resume',
    decides: 'http',
    group: 'observability',
    tag: 'Agents',
    summary: 'Resumes a tool of a run of any user; the run continues if the client disconnects',
    params: z.object({ id: Id.describe('Agent id'), runId: Id.describe('Run id') }),
    body: ResumeRunBody,
    reply: {
      kind: 'data',
      schema: z.union([AgentAnswer, AgentObject]),
      events: z.union([UiMessageChunk, ObjectStreamPart]),
    },
    errors: [400, 404, 409, 413, 415],
  },
})
