import type { RunningMessages } from '../../../src/store/agents/conversation-store.ts'
import type { AgentRunEnd, AgentRunRow } from '../../../src/store/agent-store.ts'

/** The row of a running agent run, with the values of the test. */
export function agentRunRow(row: Partial<AgentRunRow> & { id: string }): AgentRunRow {
  return {
    agentId: 'helper',
    status: 'running',
    ownerEpoch: 1,
    startedAt: 1000,
    endedAt: null,
    userId: null,
    conversationId: null,
    traceId: 'trace',
    input: '"Hi"',
    output: null,
    error: null,
    model: 'demo/demo',
    usage: null,
    steps: null,
    blockedReason: null,
    requester: null,
    parentId: null,
    requestKey: null,
    expiresAt: null,
    options: null,
    ...row,
  }
}

/** What a run adds to a conversation, with the values of the test. */
export function runningMessagesOf(
  parts: Partial<RunningMessages> & Pick<RunningMessages, 'key'>,
): RunningMessages {
  const { messages = [] } = parts
  return {
    owner: null,
    agentId: 'helper',
    title: null,
    startedAt: 1000,
    messages,
    starts: messages.map(() => true),
    replace: false,
    ...parts,
  }
}

export const COMPLETED: AgentRunEnd = {
  status: 'completed',
  endedAt: 2000,
  output: '"Hello"',
  error: null,
  usage: '{}',
  steps: '[]',
}
