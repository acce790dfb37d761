import { resumeExecution } from 'agentserver'
import { z } from 'zod'
import { approval } from './approval.ts'
import { analyzer } from './greeter.ts'

// #region calls
export async function run() {
  const { object } = await analyzer.generate('Hello!', {
    schema: z.object({ sentiment: z.string() }),
    userId: 'ada',
    conversationId: 'c-1',
  })

  const asked = await approval.execute({ item: 'Desk' })
  console.log(asked.status) // 'suspended'
  const { executionId } = asked
  const done = await resumeExecution('approval', executionId, {
    approved: true,
  })
  return [object.sentiment, done.result]
}
// #endregion
