import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { createAgent, createTool, createWorkflow, defineConfig, demoModel } from 'agentserver'
    import { z } from 'zod'
    const approve = createWorkflow({ id: 'approve', name: 'Approve' }).andThen({
      id: 'decide',
      resumeSchema: z.object({ approved: z.boolean() }),
      execute: ({ data, resumeData, suspend }) => resumeData ?? suspend('Pay ' + data.n + '?', { n: data.n }),
    })
    const refund = createTool({
      name: 'refund', description: 'Refunds an order', needsApproval: true,
      inputSchema: z.object({ orderId: z.string() }), execute: () => 'refunded',
    })
    const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'x', model: demoModel(), tools: [refund] })
    export default defineConfig({ workflows: [approve], agents: [clerk] })
  `,
})
let ids: string[] = []

beforeAll(() => project.start())
afterAll(() => project.end())
beforeEach(async () => {
  ids = []
  for (let n = 1; n <= 3; n++) ids.push(await project.execute('approve', { n }))
})

async function statuses(): Promise<string[]> {
  const { data } = await project.server.get('/observability/executions?limit=20')
  const all = data as { id: string; status: string }[]
  return ids.map((id) => all.find((one) => one.id === id)?.status ?? 'missing')
}

/** The centre of the first enabled Approve. */
async function approvePoint(page: Page): Promise<{ x: number; y: number }> {
  const button = page.getByRole('region', { name: /Needs you/ }).getByRole('button', { name: 'Approve' })
  await button.first().waitFor()
  await expect.poll(() => button.count()).toBeGreaterThan(1)
  const { x, y, width, height } = (await button.first().boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  return { x: x + width / 2, y: y + height / 2 }
}

describe('Needs you', () => {
  it('keeps a decided row in place: further clicks at the same point approve nothing else', async () => {
    const { page, axe, complaints } = await project.browser.open('')
    const { x, y } = await approvePoint(page)
    await page.mouse.move(x, y)
    await page.mouse.click(x, y, { clickCount: 2, delay: 20 })
    await page.getByText('Resumed').waitFor()
    for (const _ of [1, 2]) await page.mouse.click(x, y)
    // one that comes now is added at the end
    ids.push(await project.execute('approve', { n: 4 }))
    await page
      .getByRole('region', { name: /Needs you/ })
      .getByText('decide: Pay 4?')
      .waitFor()
    await page.mouse.click(x, y)
    expect((await statuses()).filter((status) => status === 'completed')).toHaveLength(1)
    expect(await axe()).toEqual([])
    await page.mouse.move(2, 2)
    await page.getByText('Resumed').waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })

  it('keeps the place of a decided call of an agent, too', async () => {
    const ask = () =>
      fetch(new URL('/agents/clerk/text', project.server.url), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ input: 'Refund order A-1' }),
      })
    await Promise.all([ask(), ask()])
    const { page } = await project.browser.open('')
    const reviews = page.getByRole('button', { name: 'Review' })
    await expect.poll(() => reviews.count()).toBe(2)
    await reviews.first().click()
    await reviews.click()
    const approve = page
      .getByRole('group', { name: 'Approval of refund' })
      .getByRole('button', { name: 'Approve' })
    await expect.poll(() => approve.count()).toBe(2)
    const { x, y } = (await approve.first().boundingBox()) ?? { x: 0, y: 0 }
    await page.mouse.click(x + 5, y + 5)
    await page.getByText('Decided').waitFor()
    await page.mouse.click(x + 5, y + 5)
    await page.mouse.click(x + 5, y + 5)
    const { data } = await project.server.get('/observability/approvals')
    expect(data).toHaveLength(1)
  })
})
