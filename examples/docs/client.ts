import { ApiError, createClient } from 'agentserver/client'

/** Starts an expense, watches it until it waits, and approves it. */
export async function spend(baseUrl: string) {
  const client = createClient({ baseUrl })
  const input = { who: 'Ada', amount: 250 }

  for await (const event of client.streamWorkflow({ params: { id: 'expense' }, body: { input } })) {
    if (event.type !== 'workflow-suspended') continue
    const params = { id: 'expense', executionId: event.executionId }
    const body = { resumeData: { approvedBy: 'Grace' } }
    return client.resumeExecution({ params, body })
  }
  throw new Error('Nobody was asked')
}

/** What the server says to a workflow it does not have: 404. */
export async function statusOfUnknown(baseUrl: string) {
  const client = createClient({ baseUrl })
  try {
    await client.getWorkflow({ params: { id: 'no-such-workflow' } })
    return 200
  } catch (error) {
    if (error instanceof ApiError) return error.status
    throw error
  }
}
