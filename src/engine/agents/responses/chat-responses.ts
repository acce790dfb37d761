import type {
  ApprovalResponse,
  ClientToolOutput,
  PendingResponses,
} from '../../../agent/answer/waiting/resumed-answer.ts'
import { AppError } from '../../../lib/errors.ts'
import type { ApprovalFilter } from '../../../store/agents/agent-approvals.ts'
import type { Store } from '../../../store/store.ts'
import { clientCallId } from '../../../agent/answer/waiting/pending-calls.ts'

/** The responses that a chat request has: in the last message, and beside the messages. */
export interface ChatResponses extends PendingResponses {
  /** The ids of the approvals that stand beside the messages. */
  readonly explicit: ReadonlySet<string>
  /** The id of the last message, which is the id of its run. */
  readonly messageId: string | undefined
}

/** The run that a chat request responds to. */
export interface RespondedChat {
  readonly runId: string
  readonly responses: PendingResponses
}

/** A tool's part of a UI message of the AI SDK. */
interface ToolPart {
  readonly toolCallId?: unknown
  readonly state?: unknown
  readonly output?: unknown
  readonly errorText?: unknown
  readonly approval?: { readonly id?: unknown; readonly approved?: unknown; readonly reason?: unknown }
}

/** Reads the responses of a chat request; `undefined` when it has none, and so is a new message. */
export function chatResponses(
  messages: readonly object[],
  approvals: readonly ApprovalResponse[] = [],
): ChatResponses | undefined {
  const last: { readonly role?: unknown; readonly id?: unknown; readonly parts?: unknown } =
    messages.at(-1) ?? {}
  const isAnswer = last.role === 'assistant' && Array.isArray(last.parts)
  const parts = isAnswer ? (last.parts as readonly unknown[]).filter(isToolPart) : []
  const explicit = new Set(approvals.map(({ approvalId }) => approvalId))
  const inMessage = parts
    .flatMap((part) => approvalIn(part))
    .filter(({ approvalId }) => !explicit.has(approvalId))
  const toolOutputs = parts.flatMap((part) => outputIn(part))
  if (approvals.length + inMessage.length + toolOutputs.length === 0) return undefined
  return {
    approvals: [...approvals, ...inMessage],
    toolOutputs,
    explicit,
    messageId: typeof last.id === 'string' ? last.id : undefined,
  }
}

function isToolPart(part: unknown): part is ToolPart {
  return typeof part === 'object' && part !== null && 'toolCallId' in part
}

function approvalIn({ state, approval }: ToolPart): ApprovalResponse[] {
  if (state !== 'approval-responded' || typeof approval?.id !== 'string') return []
  const { id: approvalId, approved, reason } = approval
  return [{ approvalId, approved: approved === true, ...(typeof reason === 'string' && { reason }) }]
}

function outputIn({ toolCallId, state, output, errorText }: ToolPart): ClientToolOutput[] {
  if (typeof toolCallId !== 'string') return []
  if (state === 'output-available') return [{ toolCallId, output }]
  return state === 'output-error' ? [{ toolCallId, errorText: String(errorText) }] : []
}

type ChatFilter = Required<Pick<ApprovalFilter, 'agentId' | 'conversationId' | 'userId'>>

const ALL = { limit: 1000, offset: 0 }

/**
 * The run of a conversation that waits for these responses; `undefined` when they are outputs of calls that no run waits
 * for, as in the messages of an answer that is complete.
 *
 * @throws AppError `not_found` for an approval that is unknown in this conversation; `conflict` when it was decided.
 */
export async function respondedChat(
  responses: ChatResponses,
  filter: ChatFilter,
  { agentRuns }: Pick<Store, 'agentRuns'>,
): Promise<RespondedChat | undefined> {
  const { approvals, toolOutputs, explicit, messageId } = responses
  const pending = await agentRuns.approvals({ ...filter, isPending: true }, ALL)
  const approvalIds = new Set(approvals.map(({ approvalId }) => approvalId))
  const outputIds = new Set(toolOutputs.map(({ toolCallId }) => toolCallId))
  const matches = pending.filter(({ id, kind, toolCallId }) =>
    kind === 'client-tool' ? outputIds.has(toolCallId) : approvalIds.has(id),
  )
  const runId = matches.at(-1)?.runId
  const known = new Set(matches.flatMap((match) => (match.runId === runId ? [match.id] : [])))
  const isKnown = ({ approvalId }: ApprovalResponse) => known.has(approvalId)
  const unknown = approvals.find(
    (one) => !isKnown(one) && (runId === undefined || explicit.has(one.approvalId)),
  )
  if (unknown)
    throw await refusal({ ...filter, id: unknown.approvalId }, `Approval ${unknown.approvalId}`, agentRuns)
  if (runId === undefined) {
    for (const { toolCallId } of toolOutputs) {
      const id = clientCallId(messageId ?? '', toolCallId)
      const [decided] = await agentRuns.approvals({ ...filter, id }, { limit: 1, offset: 0 })
      if (decided) throw new AppError('conflict', `Tool call ${toolCallId} already has its output`)
    }
    return undefined
  }
  return {
    runId,
    responses: {
      approvals: approvals.filter((one) => isKnown(one)),
      toolOutputs: toolOutputs.filter(({ toolCallId }) => known.has(clientCallId(runId, toolCallId))),
    },
  }
}

async function refusal(
  filter: ApprovalFilter,
  label: string,
  agentRuns: Store['agentRuns'],
): Promise<AppError> {
  const [found] = await agentRuns.approvals(filter, { limit: 1, offset: 0 })
  return found
    ? new AppError('conflict', `${label} already has a response`)
    : new AppError('not_found', `${label} is not one that a run of this conversation waits for`)
}
