import { createAgent, createTool, createWorkflow } from 'agentserver'
import { createTestRunner, scriptedModel } from 'agentserver/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const refunds: unknown[] = []
const refund = createTool({
  name: 'refund',
  description: 'Refunds an order',
  inputSchema: z.object({ order: z.string(), amount: z.number().max(1000) }),
  needsApproval: true,
  execute: (input) => {
    refunds.push(input)
    return { refunded: input.amount }
  },
})

const desk = () => {
  const model = scriptedModel(
    Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? { toolCalls: [{ toolName: 'refund', input: { order: 'A', amount: 250 } }] }
        : 'It is refunded.',
    ),
  )
  const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Refund.', model, tools: [refund] })
  return createWorkflow({ id: 'desk', name: 'Desk', inputSchema: z.object({}) }).andAgent({
    id: 'answer',
    agent: clerk,
    prompt: 'Refund order A',
  })
}

interface Suspended {
  readonly executionId: string
  readonly status: string
  readonly suspension: { readonly data: { readonly approvals: readonly { readonly approvalId: string }[] } }
}

describe('the approvals of an andAgent step', () => {
  const server = new TestServer({ workflows: [desk()] })
  afterAll(() => server.close())

  it('suspend the execution, which resumes over HTTP with edited arguments', async () => {
    const started = await dataOf<Suspended>(await server.post('/workflows/desk/execute', { input: {} }))
    expect(started).toMatchObject({
      status: 'suspended',
      suspension: {
        stepId: 'answer',
        data: { approvals: [{ toolName: 'refund', input: { order: 'A', amount: 250 } }] },
      },
    })
    const path = `/workflows/desk/executions/${started.executionId}/resume`
    const [approval] = started.suspension.data.approvals
    const decide = (more: object) =>
      server.post(path, {
        resumeData: { approvals: [{ approvalId: approval?.approvalId, approved: true, ...more }] },
      })
    const wrong = await decide({ input: { order: 'A', amount: 2000 } })
    expect(await refusalOf(wrong, 400)).toContain('resumeData.approvals[0].input.amount')
    expect(refunds).toEqual([])
    const resumed = await dataOf<object>(await decide({ input: { order: 'A', amount: 200 } }))
    expect(resumed).toMatchObject({ status: 'completed', result: { text: 'It is refunded.' } })
    expect(refunds).toEqual([{ order: 'A', amount: 200 }])
    expect((await decide({})).status).toBe(404)
  })

  it('resume in a test runner, and expire when the test advances the time', async () => {
    const workflow = desk()
    const runner = createTestRunner([workflow])
    try {
      const execution = await runner.run(workflow, {})
      const { approvals } = (execution.suspension as Suspended['suspension']).data
      const before = refunds.length
      const done = await execution.resume({
        approvals: [{ approvalId: approvals[0]?.approvalId, approved: true }],
      })
      expect(done).toMatchObject({ status: 'completed', result: { text: 'It is refunded.' } })
      expect(refunds).toHaveLength(before + 1)
      const late = await runner.run(workflow, {})
      await runner.advance('8d')
      expect((await late.settled()).status).toBe('completed')
      expect(refunds).toHaveLength(before + 1)
    } finally {
      await runner.close()
    }
  })
})
