import type { Client } from '@modelcontextprotocol/client'
import { andWorkflow, createMcpServer, createWorkflow } from 'agentserver'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connectClient } from '../../support/clients/mcp-client.ts'
import { listening } from '../../support/server/listening.ts'
import { TestServer } from '../../support/server/test-server.ts'

const refund = createWorkflow({
  id: 'refund',
  name: 'Refund',
  inputSchema: z.object({ amount: z.number() }),
})
  .andThen({
    id: 'approve',
    resumeSchema: z.object({
      approved: z.boolean(),
      // constraints and fields that a form can't express
      note: z.string().max(5).regex(/^\w*$/).optional(),
      tags: z.array(z.string()).optional(),
    }),
    execute: ({ data, resumeData, suspend }) =>
      resumeData ?? suspend('A manager must approve', { amount: data.amount }),
  })
  .andThen({
    id: 'account',
    resumeSchema: z.string().min(3),
    execute: ({ data, resumeData, suspend }) => ({
      ...data,
      account: resumeData ?? suspend('Which account?'),
    }),
  })
const parent = createWorkflow({ id: 'parent', name: 'Parent' }).andThen({
  id: 'amount',
  execute: () => ({ amount: 5 }),
})
const nested = createWorkflow(
  { id: 'nested', name: 'Nested' },
  andWorkflow({ id: 'refund', workflow: refund, input: () => ({ amount: 7 }) }),
)
const free = createWorkflow({ id: 'free', name: 'Free' }).andThen({
  id: 'wait',
  execute: ({ resumeData, suspend }) => ({ got: resumeData ?? suspend('Anything?') }),
})
const deep = createWorkflow({ id: 'deep', name: 'Deep' }).andThen({
  id: 'ask',
  resumeSchema: z.object({ home: z.object({ city: z.string() }) }),
  execute: ({ resumeData, suspend }) => resumeData ?? suspend('Where?'),
})

const team = createWorkflow({
  id: 'team',
  name: 'Team',
  run: async ({ step }) => {
    const { city } = await step.suspend('where', { resumeSchema: z.object({ city: z.string() }) })
    const signed = ['left', 'right'].map((side) =>
      step.run(side, ({ step: nested }) => nested.suspend('sign')),
    )
    return [city, ...(await Promise.all(signed))]
  },
})
const plain = createWorkflow({ id: 'plain', name: 'Plain', run: ({ input }) => input })
const desk = createMcpServer({
  id: 'desk',
  name: 'Desk',
  workflows: [refund, parent, nested, free, deep, team, plain],
})
const other = createMcpServer({ id: 'other', name: 'Other', workflows: [free] })
const server = new TestServer({ workflows: [], mcpServers: [desk, other] })
const at = listening(server)

type Form = { readonly message: string; readonly requestedSchema: object }
const clients: Client[] = []
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
})

/** A client whose user answers forms with these answers in turn; without answers it can't show forms. */
async function clientThat(mode: 'legacy' | 'auto', answers: object[] | undefined, id = 'desk') {
  const capabilities = answers ? { elicitation: {} } : {}
  const client = await connectClient(at(`/mcp/${id}`), { mode, capabilities })
  clients.push(client)
  const forms: Form[] = []
  if (answers)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      forms.push(params as unknown as Form)
      return (answers.shift() ?? { action: 'cancel' }) as { action: 'cancel' }
    })
  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const { structuredContent, content, isError } = await client.callTool({ name, arguments: input })
    return { ...(structuredContent as Record<string, unknown>), content, isError: isError === true }
  }
  return { client, forms, call }
}

const accept = (content: object) => ({ action: 'accept', content })
const suspendedAt = (stepId: string) => ({ status: 'suspended', result: null, suspension: { stepId } })

describe.each(['legacy', 'auto'] as const)('a workflow of an MCP client (%s)', (mode) => {
  it('that suspends is resumed by forms for the resume data of its steps', async () => {
    const { call, forms } = await clientThat(mode, [accept({ approved: true }), accept({ value: 'DE89' })])
    const result = await call('run_refund', { amount: 5 })
    expect(result).toMatchObject({ status: 'completed', result: { approved: true, account: 'DE89' } })
    expect(forms).toMatchObject([
      {
        message: 'Refund: A manager must approve\n\n{\n  "amount": 5\n}',
        requestedSchema: { properties: { approved: { type: 'boolean' } }, required: ['approved'] },
      },
      { message: 'Refund: Which account?', requestedSchema: { properties: { value: { minLength: 3 } } } },
    ])
  })

  it('that a child suspends is resumed by the form of the child', async () => {
    const { call } = await clientThat(mode, [accept({ approved: false }), accept({ value: 'DE89' })])
    expect(await call('run_nested')).toMatchObject({
      status: 'completed',
      result: { approved: false, account: 'DE89' },
    })
  })

  it.each([
    ['declines the form', { action: 'decline' }],
    ['closes the form', { action: 'cancel' }],
    ['sends data that does not match', accept({ approved: 'yes' })],
  ])('stays suspended when the user %s, and can be resumed by the tool', async (_, answer) => {
    const { call } = await clientThat(mode, [answer, accept({ value: 'DE89' })])
    const suspended = await call('run_refund', { amount: 5 })
    expect(suspended).toMatchObject({ ...suspendedAt('approve'), isError: false })
    const { executionId } = suspended as { executionId?: string }
    expect(await call('resume_refund', { executionId, resumeData: { approved: true } })).toMatchObject({
      executionId,
      status: 'completed',
      result: { approved: true, account: 'DE89' },
    })
  })

  it('is resumed by the tool when the client shows no forms', async () => {
    const { call } = await clientThat(mode, undefined)
    const { executionId } = (await call('run_refund', { amount: 5 })) as { executionId?: string }
    expect(await call('resume_refund', { executionId, resumeData: { approved: 1 } })).toMatchObject({
      isError: true,
      content: [
        { text: expect.stringContaining('Resume data validation failed: resumeData.approved') as string },
      ],
    })
    const resumed = await call('resume_refund', { executionId, resumeData: { approved: true } })
    expect(resumed).toMatchObject(suspendedAt('account'))
    expect(await call('resume_refund', { executionId, resumeData: 'DE89' })).toMatchObject({
      status: 'completed',
    })
    expect(await call('resume_refund', { executionId, resumeData: 'DE89' })).toMatchObject({
      isError: true,
      content: [{ text: `Execution not found or not suspended: ${executionId}` }],
    })
  })
})

describe('the tool resume_<id>', () => {
  it('is offered for workflows that may suspend, with the schemas of their resume data', async () => {
    const { client } = await clientThat('legacy', undefined)
    const { tools } = await client.listTools()
    const offered = tools.filter(({ name }) => name.startsWith('resume_'))
    expect(offered.map(({ name }) => name)).toEqual([
      'resume_refund',
      'resume_nested',
      'resume_free',
      'resume_deep',
      'resume_team',
    ])
    expect(offered[0]?.inputSchema).toMatchObject({
      properties: {
        executionId: { type: 'string' },
        resumeData: { anyOf: [{ required: ['approved'] }, { type: 'string' }] },
      },
      required: ['executionId', 'resumeData'],
    })
    expect(offered[2]?.inputSchema).toMatchObject({ required: ['executionId'] })
    expect(offered[3]?.inputSchema.properties).toMatchObject({ resumeData: { required: ['home'] } })
  })

  it('resumes the calls of a function, after a form, and one of several by its path', async () => {
    const { call, forms } = await clientThat('legacy', [accept({ city: 'Rome' })])
    const { executionId } = (await call('run_team')) as { executionId?: string }
    expect(forms).toMatchObject([{ requestedSchema: { required: ['city'] } }])
    const resume = (stepId: string, resumeData: string) =>
      call('resume_team', { executionId, stepId, resumeData })
    expect(await resume('right/sign', 'R')).toMatchObject(suspendedAt('sign'))
    expect(await resume('left/sign', 'L')).toMatchObject({ result: ['Rome', 'L', 'R'] })
  })

  it('resumes a workflow whose resume data has no schema, or no form', async () => {
    const { call, forms } = await clientThat('legacy', [])
    const waiting = (await call('run_free')) as { executionId?: string }
    expect(waiting).toMatchObject(suspendedAt('wait'))
    const resume = { executionId: waiting.executionId, resumeData: [1] }
    expect(await call('resume_free', resume)).toMatchObject({ result: { got: [1] } })
    const { executionId } = (await call('run_deep')) as { executionId?: string }
    const resumeData = { home: { city: 'Rome' } }
    expect(await call('resume_deep', { executionId, resumeData })).toMatchObject({ result: resumeData })
    expect(forms).toEqual([])
  })

  it('refuses executions of other workflows, and unknown ones', async () => {
    const { call } = await clientThat('legacy', undefined)
    const { executionId } = (await call('run_free')) as { executionId?: string }
    for (const id of [executionId, 'unknown'])
      expect(await call('resume_deep', { executionId: id, resumeData: {} })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/^Execution not found/) as string }],
      })
    expect(await call('resume_free', {})).toMatchObject({ isError: true })
  })
})
