import { stopCommand } from '../stop-command.ts'

export const cancelWorkflow = stopCommand({
  requiredStatus: 'running or suspended',
  example: 'cancel-workflow order 0190c2f0-… --reason "duplicate order"',
  stop: (client, request) => client.cancelExecution(request),
  outcome: (id, _, { paint }) => `${paint.yellow('✗')} ${id} is cancelled`,
})
