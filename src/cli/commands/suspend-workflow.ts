import { stopCommand } from '../stop-command.ts'

export const suspendWorkflow = stopCommand({
  executions: 'running',
  example: 'suspend-workflow order 0190c2f0-… --reason "stock is counted"',
  stop: (client, request) => client.suspendExecution(request),
  outcome: (id, { status }, { paint }) =>
    status === 'suspended'
      ? `${paint.yellow('⏸')} ${id} is suspended`
      : `${paint.cyan('…')} ${id} still runs a step and suspends after it`,
})
