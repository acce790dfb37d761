import { ApiError, type Client } from 'agentserver/client'
import { ApprovalRequest } from '../workflows/expense-data.ts'

/** An expense that waits for a decision. */
export interface WaitingExpense extends ApprovalRequest {
  readonly executionId: string
  readonly hours: number
}

const PAGE = 200

/** All expenses that wait for a decision, with their waiting time in hours. */
export async function waitingExpenses(client: Client, now: Date): Promise<WaitingExpense[]> {
  const waiting: WaitingExpense[] = []
  for (let offset = 0; ; offset += PAGE) {
    const page = await client.listExecutions({
      query: { workflowId: 'expense', status: 'suspended', limit: String(PAGE), offset: String(offset) },
    })
    for (const { id, suspension } of page) {
      // An execution that a client has suspended has no request.
      const request = ApprovalRequest.safeParse(suspension?.data)
      if (!request.success || !suspension) continue
      const hours = (now.getTime() - Date.parse(suspension.suspendedAt)) / 3_600_000
      waiting.push({ ...request.data, executionId: id, hours })
    }
    if (page.length < PAGE) return waiting
  }
}

/** Cancels an expense. `false` when it has ended in the meantime. */
export async function withdraw(client: Client, executionId: string, reason: string): Promise<boolean> {
  try {
    await client.cancelExecution({ params: { id: 'expense', executionId }, body: { reason } })
    return true
  } catch (error) {
    if (error instanceof ApiError && (error.status === 400 || error.status === 404)) return false
    throw error
  }
}
