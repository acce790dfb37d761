import { createClient } from 'agentserver/client'

/** Purchases that wait for a decision, oldest first, and how to decide. */
export function createInbox(baseUrl: string) {
  const client = createClient({ baseUrl })
  const purchase = client.workflow('purchase')
  return {
    async list() {
      const waiting = await client.executions({
        workflowId: 'purchase',
        status: 'suspended',
        limit: 100,
      })
      return waiting.toReversed().map(({ id, input }) => ({ executionId: id, purchase: input }))
    },
    decide(executionId: string, decision: { approved: boolean; decidedBy: string; comment?: string }) {
      return purchase.execution(executionId).resume(decision)
    },
    withdraw(executionId: string, reason: string) {
      return purchase.execution(executionId).cancel({ reason })
    },
  }
}
