import { createClient } from 'agentserver/client'

/** Purchases that wait for a decision, oldest first, and how to decide. */
export function createInbox(baseUrl: string) {
  const client = createClient({ baseUrl })
  return {
    async list() {
      const query = { workflowId: 'purchase', status: 'suspended', limit: '100' } as const
      const waiting = await client.listExecutions({ query })
      return waiting.toReversed().map(({ id, input }) => ({ executionId: id, purchase: input }))
    },
    decide(executionId: string, decision: { approved: boolean; decidedBy: string; comment?: string }) {
      const params = { id: 'purchase', executionId }
      return client.resumeExecution({ params, body: { resumeData: decision } })
    },
    withdraw(executionId: string, reason: string) {
      return client.cancelExecution({ params: { id: 'purchase', executionId }, body: { reason } })
    },
  }
}
