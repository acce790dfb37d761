import { cancelExecution, getExecution, resumeExecution, startWorkflow } from 'agentserver'

// a program of its own: what a project registers, all its files know

// the id determines the input and the result
const started = await startWorkflow('order', { amount: 5 }, { userId: 'ada' })
const { result } = await started.result()
result satisfies { paid: number } | null
const { output } = await getExecution('order', started.executionId)
output satisfies { paid: number } | undefined
const resumed = await resumeExecution('order', started.executionId, {}, { stepId: 'approve' })
resumed.result?.paid satisfies number | undefined
const cancelled = await cancelExecution('order', started.executionId, { reason: 'not needed' })
cancelled.status satisfies 'cancelled' | 'running'

// @ts-expect-error there is no such workflow
await startWorkflow('ordr', { amount: 5 })
// @ts-expect-error the amount is a number
await startWorkflow('order', { amount: '5' })
// @ts-expect-error the amount is missing
await startWorkflow('order', {})
// @ts-expect-error there is no such workflow
await getExecution('ordr', 'x')
// @ts-expect-error there is no such workflow
await resumeExecution('ordr', 'x')
// @ts-expect-error there is no such workflow
await cancelExecution('ordr', 'x')
// @ts-expect-error the result is an object
result satisfies string | null
// @ts-expect-error the result is an object
output satisfies string | undefined
