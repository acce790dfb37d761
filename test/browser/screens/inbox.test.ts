import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { createAgent, createTool, createWorkflow, defineConfig, demoModel } from 'agentserver'
    import { z } from 'zod'
    const asks = (id, resumeSchema) => createWorkflow({ id, name: id[0].toUpperCase() + id.slice(1) }).andThen({
      id: 'decide', resumeSchema,
      execute: ({ data, resumeData, suspend }) => resumeData ?? suspend('Pay ' + data.n + '?', { receiptId: 'r-1', employee: { id: 'emp_1', name: 'Ada \\u202eLovelace' }, amount: data.n }),
    })
    const approve = asks('approve', z.object({ approved: z.boolean() }))
    const expense = asks('expense', z.object({ approved: z.boolean(), urgent: z.boolean().default(false), by: z.string(), limit: z.number().default(100) }))
    const address = asks('address', z.object({ street: z.string().min(2) }))
    const broken = createWorkflow({ id: 'broken', name: 'Broken' }).andThen({ id: 'charge', execute: () => { throw new Error('card \\u202edeclined') } })
    const nap = createWorkflow({ id: 'nap', name: 'Nap' }).andSleep({ id: 'two-weeks', for: '14d' })
    const refund = createTool({
      name: 'refund', description: 'Refunds an order', needsApproval: true,
      inputSchema: z.object({ orderId: z.string() }), execute: () => 'refunded',
    })
    const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'x', model: demoModel(), tools: [refund] })
    export default defineConfig({ workflows: [approve, expense, address, broken, nap], agents: [clerk] })
  `,
})
beforeAll(() => project.start())
afterAll(() => project.end())
// each test finds an empty inbox
afterEach(async () => {
  const { data } = await project.server.get('/observability/executions?status=suspended&limit=100')
  for (const { id, workflowId } of data as { id: string; workflowId: string }[])
    await project.server.post(`/workflows/${workflowId}/executions/${id}/cancel`, {})
})

async function recordOf(id: string) {
  const { data } = await project.server.get(`/observability/executions/${id}`)
  return data as { status: string; output?: unknown }
}

async function payments(count: number, workflow = 'approve'): Promise<string[]> {
  const ids: string[] = []
  for (let n = 1; n <= count; n++) ids.push(await project.execute(workflow, { n }))
  return ids
}

const statusesOf = async (ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await recordOf(id)).status))
const cardOf = (page: Page, title: string) =>
  page.getByRole('list', { name: 'Decisions' }).locator('[data-decision]').filter({ hasText: title })
const centreOf = async (page: Page, title: string, button: string) => {
  const found = cardOf(page, title).getByRole('button', { name: button, exact: true })
  await found.waitFor()
  const { x, y, width, height } = (await found.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  return { x: x + width / 2, y: y + height / 2 }
}

describe.each([
  ['light', 1440],
  ['dark', 390],
] as const)('the inbox, %s, %i px', (theme, width) => {
  const size = { width, height: 844 }

  it('shows what is decided as facts, names before ids, with the input of the run', async () => {
    await payments(1)
    const { page, axe, complaints } = await project.browser.open('inbox', { theme, size })
    const card = cardOf(page, 'Pay 1?')
    const request = card.getByRole('group', { name: 'Request' })
    await request.waitFor()
    const text = (await request.innerText()).split(/\s+/).join(' ')
    expect(text).toBe(String.raw`Request Employee Ada \u202eLovelace id emp_1 Amount 1 Receipt id r-1`)
    expect(await card.getByRole('group', { name: 'Input' }).innerText()).toMatch(/N\s+1/)
    const box = await card.getByRole('heading', { name: 'Pay 1?' }).boundingBox()
    expect(box?.width).toBeGreaterThan(Math.min(280, width - 60))
    expect(await axe()).toEqual([])
    // nothing is scrolled sideways
    const wide = 'document.querySelector("main").scrollWidth - document.querySelector("main").clientWidth'
    expect(await page.evaluate(wide)).toBe(0)
    expect(complaints).toEqual([])
  })

  it('keeps a decided card in place: further clicks at the same point decide nothing, and it is sent after 5 s', async () => {
    const ids = await payments(3)
    const { page, axe, complaints } = await project.browser.open('inbox', { theme, size })
    const { x, y } = await centreOf(page, 'Pay 3?', 'Approve')
    await page.mouse.click(x, y, { clickCount: 2, delay: 20 })
    for (const _ of [1, 2]) await page.mouse.click(x, y)
    const card = cardOf(page, 'Pay 3?')
    await expect.poll(() => card.innerText()).toMatch(/approved\s+Open\s+Undo/)
    // it is held back
    expect(await statusesOf(ids)).toEqual(['suspended', 'suspended', 'suspended'])
    // one that comes now moves nothing
    ids.push(await project.execute('approve', { n: 4 }))
    await cardOf(page, 'Pay 4?').waitFor()
    await page.mouse.click(x, y)
    await expect
      .poll(() => statusesOf(ids), { timeout: 9000 })
      .toEqual(['suspended', 'suspended', 'completed', 'suspended'])
    await page.getByRole('region', { name: 'Notifications' }).getByText('Approve: approved').waitFor()
    await page.getByRole('region', { name: 'Notifications' }).getByRole('link', { name: 'Open' }).waitFor()
    await page.mouse.click(x, y)
    expect(await axe()).toEqual([])
    await page.mouse.move(2, 2)
    await page.mouse.click(2, 2)
    await card.waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })
})

describe('a decision of the inbox', () => {
  it('is not sent when it is undone, and can be made again', async () => {
    const [id = ''] = await payments(1)
    const { page, complaints } = await project.browser.open('inbox')
    const card = cardOf(page, 'Pay 1?')
    await card.getByRole('button', { name: 'Approve' }).click()
    await card.getByRole('button', { name: 'Undo' }).click()
    await card.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
    await page.waitForTimeout(5500)
    expect((await recordOf(id)).status).toBe('suspended')
    await card.getByRole('button', { name: 'Reject' }).click()
    await expect.poll(() => card.innerText()).toMatch(/rejected/)
    await expect.poll(() => recordOf(id), { timeout: 9000 }).toMatchObject({ output: { approved: false } })
    expect(complaints).toEqual([])
  })

  it('is sent at once when another page of the console is opened', async () => {
    const [id = ''] = await payments(1)
    const { page } = await project.browser.open('inbox')
    await cardOf(page, 'Pay 1?').getByRole('button', { name: 'Approve' }).click()
    await cardOf(page, 'Pay 1?').getByRole('button', { name: 'Undo' }).waitFor()
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await expect.poll(() => recordOf(id), { timeout: 3000 }).toMatchObject({ output: { approved: true } })
  })

  it('is sent at once when the page is closed', async () => {
    const [id = ''] = await payments(1)
    const { page } = await project.browser.open('inbox')
    await cardOf(page, 'Pay 1?').getByRole('button', { name: 'Approve' }).click()
    await cardOf(page, 'Pay 1?').getByRole('button', { name: 'Undo' }).waitFor()
    await page.goto('about:blank')
    await expect.poll(() => recordOf(id), { timeout: 3000 }).toMatchObject({ output: { approved: true } })
  })

  it('has the other fields filled in: the user, and defaults', async () => {
    const [id = ''] = await payments(1, 'expense')
    const claims = Buffer.from(JSON.stringify({ sub: 'grace', email: 'g@example.com' })).toString('base64url')
    const { page, axe } = await project.browser.open('inbox', {
      prepare: (context) =>
        context.addInitScript(`sessionStorage.setItem('agentserver.token', 'e30.${claims}.x')`),
    })
    const card = cardOf(page, 'Pay 1?')
    await expect.poll(() => card.getByLabel('by').inputValue()).toBe('grace')
    expect(await card.getByLabel('limit').inputValue()).toBe('100')
    expect(await axe()).toEqual([])
    await card.getByRole('button', { name: 'Approve' }).click()
    await expect
      .poll(() => recordOf(id), { timeout: 9000 })
      .toMatchObject({ output: { approved: true, by: 'grace', limit: 100, urgent: false } })
  })

  it('is made with the keys j, k, a and r, and never without a focused card', async () => {
    const ids = await payments(2)
    const { page } = await project.browser.open('inbox')
    await cardOf(page, 'Pay 2?').waitFor()
    await page.keyboard.press('a')
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
    await page.keyboard.press('r')
    await expect.poll(() => cardOf(page, 'Pay 2?').innerText()).toContain('rejected')
    await page.keyboard.press('j')
    await page.keyboard.press('a')
    await expect.poll(() => cardOf(page, 'Pay 1?').innerText()).toContain('approved')
    await page.keyboard.press('?')
    await page.getByText('Reject (replays on other pages)').waitFor()
    await page.keyboard.press('Escape')
    await expect
      .poll(async () => (await Promise.all(ids.map((id) => recordOf(id)))).map(({ output }) => output), {
        timeout: 9000,
      })
      .toEqual([{ approved: true }, { approved: false }])
  })

  it('is made for several at once, only where nothing is missing', async () => {
    const ids = await payments(2)
    await payments(1, 'address')
    const [incomplete = ''] = await payments(1, 'expense')
    const { page, axe } = await project.browser.open('inbox')
    await page.getByRole('checkbox', { name: 'Select: Pay 2?' }).waitFor()
    expect(await page.getByRole('checkbox').count()).toBe(2)
    for (const box of await page.getByRole('checkbox').all()) await box.check()
    await page.getByText('2 selected').waitFor()
    expect(await axe()).toEqual([])
    await page.getByRole('button', { name: 'Approve 2' }).click()
    await expect.poll(() => page.getByRole('button', { name: 'Undo' }).count()).toBe(2)
    await expect.poll(() => statusesOf(ids), { timeout: 9000 }).toEqual(['completed', 'completed'])
    expect((await recordOf(incomplete)).status).toBe('suspended')
  })

  it('has a link, which shows it alone, and how it ended', async () => {
    const [id = ''] = await payments(2)
    const { page } = await project.browser.open(`inbox?item=${id}`, { size: { width: 390, height: 844 } })
    await cardOf(page, 'Pay 1?').waitFor()
    expect(await page.locator('[data-decision]').count()).toBe(1)
    await page.getByRole('link', { name: 'All decisions (2)' }).waitFor()
    await project.server.post(`/workflows/approve/executions/${id}/resume`, {
      resumeData: { approved: true },
    })
    await page.getByText(/The run\s+is completed/).waitFor()
  })

  it('that the server refuses is shown at the form again', async () => {
    await payments(1)
    const { page } = await project.browser.open('inbox', {
      expected: /status of 400/,
      prepare: (context) =>
        context.route(/\/resume$/, (route) =>
          route.fulfill({ status: 400, json: { success: false, error: 'resumeData.approved: not today' } }),
        ),
    })
    const card = cardOf(page, 'Pay 1?')
    await card.getByRole('button', { name: 'Approve' }).click()
    await card.getByText('not today').waitFor({ timeout: 9000 })
    expect(await card.getByRole('button', { name: 'Approve' }).isEnabled()).toBe(true)
  })

  it('of a tool call of an agent is held back, too', async () => {
    const ask = () => project.server.post('/agents/clerk/text', { input: 'Refund order A-1' })
    await Promise.all([ask(), ask()])
    const pending = async () => (await project.server.get('/observability/approvals')).data as unknown[]
    const { page } = await project.browser.open('inbox')
    const cards = cardOf(page, 'Approve refund?')
    await expect.poll(() => cards.count()).toBe(2)
    const approve = cards.first().getByRole('button', { name: 'Approve', exact: true })
    const { x, y } = (await approve.boundingBox()) ?? { x: 0, y: 0 }
    for (const _ of [1, 2, 3]) await page.mouse.click(x + 5, y + 5)
    await cards.first().getByRole('button', { name: 'Undo' }).waitFor()
    expect(await pending()).toHaveLength(2)
    await expect.poll(async () => (await pending()).length, { timeout: 9000 }).toBe(1)
    await page.mouse.click(x + 5, y + 5)
    expect(await pending()).toHaveLength(1)
  })
})

describe('the other lists of the inbox', () => {
  it('have failures with readable errors, and what sleeps', async () => {
    await project.execute('broken', {})
    await project.execute('nap', {})
    const { page, axe } = await project.browser.open('inbox?tab=failed', {
      size: { width: 390, height: 844 },
      theme: 'dark',
    })
    const failures = page.getByRole('list', { name: 'Failures' })
    await expect.poll(() => failures.innerText()).toContain(String.raw`card \u202edeclined`)
    expect(await axe()).toEqual([])
    await failures.getByRole('button', { name: 'Dismiss' }).first().click()
    await page.getByText('No failures').waitFor()
    await page.goto(page.url().replace(/tab=.*/, 'tab=sleeping'))
    const sleeping = page.getByRole('grid', { name: 'Sleeping runs' })
    await expect.poll(() => sleeping.innerText()).toContain('two-weeks')
  })
})
