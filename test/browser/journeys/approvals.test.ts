import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { createAgent, createTool, createWorkflow, defineConfig } from 'agentserver'
    import { scriptedModel } from 'agentserver/testing'
    import { z } from 'zod'
    const refund = createTool({
      name: 'refund', description: 'Refunds an order',
      inputSchema: z.object({ orderId: z.string(), cents: z.number() }),
      needsApproval: true,
      execute: ({ orderId, cents }) => 'Refunded ' + cents + ' of ' + orderId,
    })
    const book = createTool({
      name: 'book', description: 'Books a table', inputSchema: z.object({ people: z.number() }),
      execute: (_, { elicit }) => elicit({ message: 'In which city?', schema: z.object({ city: z.string() }) }),
    })
    const order = createTool({
      name: 'order', description: 'Orders goods', inputSchema: z.object({ item: z.string() }),
      execute: async ({ item }, { step }) => {
        const { approved } = await step.suspend('sign', { data: { question: 'Order it?', order: { item } }, resumeSchema: z.object({ approved: z.boolean() }) })
        const { address } = approved ? await step.suspend('ship', { reason: 'Where to?', resumeSchema: z.object({ address: z.string() }) }) : {}
        return 'Ordered for ' + address
      },
    })
    const model = (toolName, input) => scriptedModel([({ prompt }) => {
      const last = prompt.at(-1)
      return last.role === 'tool' ? 'Result: ' + JSON.stringify(last.content) : { text: 'One moment.', toolCalls: [{ toolName, input }] }
    }], { repeatLast: true })
    const instructions = 'Help.'
    const leave = createWorkflow({ id: 'leave' }).andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('Leave?') })
    export default defineConfig({ workflows: [leave], agents: [
      createAgent({ id: 'clerk', name: 'Clerk', instructions, tools: [refund],
        model: model('refund', { orderId: 'A-1', cents: 9000 }) }),
      createAgent({ id: 'host', name: 'Host', instructions, tools: [book], model: model('book', { people: 2 }) }),
      createAgent({ id: 'buyer', name: 'Buyer', instructions, tools: [order], resumable: true, model: model('order', { item: 'desk' }) }),
    ] })
  `,
})

beforeAll(() => project.start())
afterAll(() => project.end())

describe.each([
  ['light', 1280],
  ['dark', 390],
] as const)('home, %s, %i px', (theme, width) => {
  it('lists a tool of an agent that waits among the decisions, counts it, and leads to it', async () => {
    const runId = await ask('clerk')
    const size = { width, height: 900 }
    const { page, axe, complaints } = await project.browser.open('', { theme, size })
    await page.getByRole('region', { name: 'Needs you (1)' }).getByText('1 to decide').waitFor()
    const item = page.getByRole('list', { name: 'To decide' }).getByRole('listitem')
    await item.filter({ hasText: 'Clerk' }).getByText('Approve refund?').waitFor()
    expect(await page.title()).toMatch(/^\(1\) /)
    expect(await axe()).toEqual([])
    await item.getByRole('link', { name: 'Clerk' }).click()
    await page.waitForURL(/\/inbox\?item=/)
    const card = page.getByRole('list', { name: 'Decisions' }).getByRole('listitem')
    const facts = card.getByRole('group', { name: 'Arguments' })
    await expect.poll(() => facts.innerText()).toMatch(/Cents\s+9000\s+Order id\s+A-1/)
    await card.getByText('Approve refund?').waitFor()
    // what the tool gets, to the letter: of a number and its text the facts are the same
    await facts.getByText('All as JSON').click()
    await expect.poll(() => facts.getByRole('tree').innerText()).toMatch(/orderId: "A-1"[\s\S]*cents: 9000/)
    await card.getByRole('button', { name: 'Approve', exact: true }).click()
    await expect
      .poll(() => statusOf('clerk', runId), { timeout: 15_000 })
      .toMatchObject({ status: 'completed' })
    expect(complaints).toEqual([])
  })
})

async function ask(agentId: string): Promise<string> {
  const response = await fetch(new URL(`/agents/${agentId}/text`, project.server.url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ input: 'Please' }),
  })
  const { data } = (await response.json()) as { data: { id: string } }
  return data.id
}

async function statusOf(agentId: string, runId: string): Promise<unknown> {
  const response = await fetch(new URL(`/agents/${agentId}/history`, project.server.url))
  const { data } = (await response.json()) as { data: { id: string }[] }
  return data.find(({ id }) => id === runId)
}

describe.each([
  ['light', 1024],
  ['dark', 390],
] as const)('pending approvals, %s, %i px', (theme, width) => {
  it('are decided in the inbox, with edited arguments and forms', async () => {
    const call = await ask('clerk')
    const form = await ask('host')
    const size = { width, height: 800 }
    const { page, axe, complaints } = await project.browser.open('inbox', { theme, size })
    const panel = page.getByRole('group', { name: 'Approval of refund' })
    await panel.getByRole('button', { name: 'Edit' }).click()
    expect(await axe()).toEqual([])
    await panel.getByLabel('cents').fill('5000')
    await panel.getByRole('button', { name: 'Approve with changes' }).click()
    await expect
      .poll(() => statusOf('clerk', call))
      .toMatchObject({ status: 'completed', output: expect.stringContaining('Refunded 5000 of A-1') })
    const requested = page.getByRole('group', { name: 'Form of book' })
    await page.getByRole('heading', { name: 'In which city?' }).waitFor()
    await requested.getByLabel('city').fill('Bern')
    expect(await axe()).toEqual([])
    await requested.getByRole('button', { name: 'Submit' }).click()
    await expect
      .poll(() => statusOf('host', form))
      .toMatchObject({ status: 'completed', output: expect.stringContaining('Bern') })
    await page.mouse.click(2, 2)
    await page.getByText('Nothing needs a decision').waitFor()
    expect(complaints).toEqual([])
  })

  it('of tools that wait in the middle are answered like suspended executions', async () => {
    const runId = await ask('buyer')
    const size = { width, height: 800 }
    const { page, axe, complaints } = await project.browser.open('inbox', { theme, size })
    await page.getByRole('link', { name: 'Buyer' }).waitFor()
    const decision = page.getByRole('group', { name: 'Form of sign' })
    await page.getByRole('heading', { name: 'Order it?' }).waitFor()
    // what the message does not say
    await expect.poll(() => decision.innerText()).toContain('desk')
    expect(await axe()).toEqual([])
    await decision.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('heading', { name: 'Where to?' }).waitFor({ timeout: 9000 })
    const form = page.getByRole('group', { name: 'Form of ship' })
    await form.getByLabel('address').fill('Bern')
    await form.getByRole('button', { name: 'Resume' }).click()
    await expect
      .poll(() => statusOf('buyer', runId))
      .toMatchObject({ status: 'completed', output: expect.stringContaining('Ordered for Bern') })
    await page.mouse.click(2, 2)
    await page.getByText('Nothing needs a decision').waitFor()
    expect(complaints).toEqual([])
  })

  it('of tools that wait in the middle are answered in the chat, which goes on', async () => {
    const size = { width, height: 800 }
    const { page, axe, complaints } = await project.browser.open('agents/buyer', { theme, size })
    await page.getByLabel('Message', { exact: true }).fill('Order a desk')
    await page.keyboard.press('Enter')
    await page.getByRole('group', { name: 'Form of sign' }).getByRole('button', { name: 'Approve' }).click()
    const form = page.getByRole('group', { name: 'Form of ship' })
    await form.getByLabel('address').fill('Zug')
    expect(await axe()).toEqual([])
    await form.getByRole('button', { name: 'Resume' }).click()
    const log = page.getByRole('log', { name: 'Messages' })
    await expect.poll(() => log.innerText()).toMatch(/Result: .*Ordered for Zug/)
    expect((await log.innerText()).match(/One moment/g)).toHaveLength(1)
    expect(await log.innerText()).not.toContain('data-wait')
    await form.waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })

  it('are decided in the chat, which goes on', async () => {
    const size = { width, height: 800 }
    const { page, axe, complaints } = await project.browser.open('agents/clerk', { theme, size })
    await page.getByLabel('Message', { exact: true }).fill('Refund it')
    await page.keyboard.press('Enter')
    const panel = page.getByRole('group', { name: 'Approval of refund' })
    await panel.waitFor()
    expect(await axe()).toEqual([])
    await panel.getByRole('button', { name: 'Deny' }).click()
    await panel.getByLabel('Reason, for the model (optional)').fill('Too much')
    await panel.getByRole('button', { name: 'Deny call' }).click()
    const log = page.getByRole('log', { name: 'Messages' })
    await expect.poll(() => log.innerText()).toMatch(/Result: .*Too much/)
    await panel.waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })

  it('stand in the history of the agent', async () => {
    const runId = await ask('clerk')
    const size = { width, height: 800 }
    const path = `agents/clerk?tab=history&status=suspended&run=${runId}`
    const { page, axe, complaints } = await project.browser.open(path, { theme, size })
    const panel = page.getByRole('group', { name: 'Approval of refund' })
    await panel.waitFor()
    expect(await axe()).toEqual([])
    await panel.getByRole('button', { name: 'Approve' }).click()
    await expect.poll(() => statusOf('clerk', runId)).toMatchObject({ status: 'completed' })
    const { page: ended } = await project.browser.open(`agents/clerk?tab=history&run=${runId}`, {
      theme,
      size,
    })
    const decision = ended.getByRole('region', { name: 'Run' }).getByRole('listitem').first()
    await expect.poll(() => decision.innerText()).toMatch(/^refund: approved by \w+ over HTTP, /)
    expect(complaints).toEqual([])
  })

  it('name who resumed an execution, over which interface and when', async () => {
    const post = async (path: string, body: object) => {
      const response = await fetch(new URL(path, project.server.url), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })
      return ((await response.json()) as { data: { executionId: string } }).data
    }
    const { executionId } = await post('/workflows/leave/execute', { input: {} })
    await post(`/workflows/leave/executions/${executionId}/resume`, { resumeData: { ok: true } })
    const size = { width, height: 800 }
    const { page, complaints } = await project.browser.open(`executions/${executionId}`, { theme, size })
    await page
      .getByText(/over HTTP, /)
      .first()
      .waitFor()
    expect(complaints).toEqual([])
  })
})
