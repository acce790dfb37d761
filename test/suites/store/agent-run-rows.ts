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
    crashes: 0,
    ...row,
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
