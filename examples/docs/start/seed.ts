import { startWorkflow } from 'agentserver'
import { openProject } from 'agentserver/server'
import { clerk } from './agentserver.config.ts'

const project = await openProject({ config: new URL('.', import.meta.url) })
try {
  const { executionId } = await startWorkflow('leave', { days: 3 }, { userId: 'ada' })
  const { text } = await clerk.generate('Where is order 7?', { userId: 'ada' })
  console.log(executionId, text)
} finally {
  await project.close()
}
