import type { AgentRunEnd, AgentRunRow } from '../../../src/store/agent-store.ts'

/** A run that begins, with what the test cares about put in. */
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
