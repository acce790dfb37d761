import type * as Ai from 'ai'
import type { Agent } from '../../agent.ts'
import { isClientTool } from '../../tools/tool.ts'
import { SuspendedAnswer } from './pending-calls.ts'
import type { PendingApproval, PendingCalls } from './pending-calls.ts'

type Step = Pick<Ai.StepResult<Ai.ToolSet>, 'content'>

/** What the answer of these steps waits for; `undefined` when it is complete. */
export function findPendingCalls(agent: Agent, steps: readonly Step[]): PendingCalls | undefined {
  const content = steps.at(-1)?.content ?? []
  const own = content.flatMap((part) =>
    part.type === 'tool-approval-request' ? [toApproval(agent.id, part)] : [],
  )
  const subAgents = content.flatMap((part) =>
    part.type === 'tool-result' && part.output instanceof SuspendedAnswer
      ? [{ toolCallId: part.toolCallId, ...part.output.suspended }]
      : [],
  )
  const settled = new Set(
    content.flatMap((part) =>
      part.type === 'tool-result' || part.type === 'tool-error' ? [part.toolCallId] : [],
    ),
  )
  const clientTools = new Set(agent.tools.filter((tool) => isClientTool(tool)).map(({ name }) => name))
  const ownCalls = content.flatMap((part) => {
    if (part.type !== 'tool-call' || !clientTools.has(part.toolName) || settled.has(part.toolCallId))
      return []
    const { toolCallId, toolName } = part
    return [{ toolCallId, toolName, input: part.input }]
  })
  const approvals = [...own, ...subAgents.flatMap((subAgent) => subAgent.approvals)]
  const toolCalls = [...ownCalls, ...subAgents.flatMap((subAgent) => subAgent.toolCalls)]
  return approvals.length + toolCalls.length === 0 ? undefined : { approvals, toolCalls, subAgents }
}

function toApproval(
  agentId: string,
  { approvalId, toolCall }: Ai.ToolApprovalRequestOutput<Ai.ToolSet>,
): PendingApproval {
  const { toolCallId, toolName, input } = toolCall
  return { approvalId, toolCallId, toolName, input, agentId }
}

/**
 * The messages of an answer without the results of sub-agents that wait. Their calls need an approval, so that the AI
 * SDK makes them again when the answer continues.
 */
export function withoutSuspended(
  messages: readonly Ai.ModelMessage[],
  { subAgents }: PendingCalls,
): Ai.ModelMessage[] {
  if (subAgents.length === 0) return [...messages]
  const runOf = new Map(subAgents.map(({ toolCallId, runId }) => [toolCallId, runId]))
  return messages.flatMap((message): Ai.ModelMessage[] => {
    if (message.role === 'tool') {
      const content = message.content.filter(
        (part) => part.type !== 'tool-result' || !runOf.has(part.toolCallId),
      )
      return content.length === 0 ? [] : [{ ...message, content }]
    }
    if (message.role !== 'assistant' || typeof message.content === 'string') return [message]
    const requests = message.content.flatMap((part) => {
      const approvalId = part.type === 'tool-call' ? runOf.get(part.toolCallId) : undefined
      if (part.type !== 'tool-call' || approvalId === undefined) return []
      return [{ type: 'tool-approval-request' as const, approvalId, toolCallId: part.toolCallId }]
    })
    return [{ ...message, content: [...message.content, ...requests] }]
  })
}
