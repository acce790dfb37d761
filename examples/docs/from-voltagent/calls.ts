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

  const started = await approval.start({ item: 'Desk' })
  const { executionId, result } = started
  console.log((await result()).status) // 'suspended'
  const done = await resumeExecution('approval', executionId, {
    approved: true,
  })
  return [object.sentiment, done.result]
}
// #endregion
