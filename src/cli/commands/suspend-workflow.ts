import { stopCommand } from '../stop-command.ts'

export const suspendWorkflow = stopCommand({
  requiredStatus: 'running',
  example: 'suspend-workflow order order-A-2 --reason "stock count in progress"',
  stop: (client, request) => client.suspendExecution(request),
  outcome: (id, { status }, { paint }) =>
    status === 'suspended'
      ? `${paint.yellow('⏸')} ${id} is suspended`
      : `${paint.cyan('…')} ${id} suspends after its current step`,
})
