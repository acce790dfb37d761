import { ApiError, createClient } from 'agentserver/client'

/** Starts an expense, follows its events until it suspends, and approves it. */
export async function spend(baseUrl: string) {
  const client = createClient({ baseUrl })
  const input = { employee: 'Ada', amount: 250 }

  for await (const event of client.streamWorkflow({ params: { id: 'expense' }, body: { input } })) {
    if (event.type !== 'workflow-suspended') continue
    const params = { id: 'expense', executionId: event.executionId }
    const body = { resumeData: { approvedBy: 'Grace' } }
    return client.resumeExecution({ params, body })
  }
  throw new Error('The expense did not suspend')
}

/** The status of the error response for an unknown workflow: 404. */
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
