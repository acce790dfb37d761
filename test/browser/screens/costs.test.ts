import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { andThen, createAgent, createWorkflow, defineConfig, demoModel } from 'agentserver'
    import { scriptedModel } from 'agentserver/testing'
    const usage = { inputTokens: 1000, outputTokens: 100 }
    const model = (modelId) => scriptedModel([{ text: 'ok', usage }], { modelId, repeatLast: true })
    const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'x', model: model('priced') })
    const local = createAgent({ id: 'local', name: 'Local', instructions: 'x', model: model('other') })
    const order = createWorkflow({ id: 'order', name: 'Order' })
      .andForEach({ id: 'lines', items: () => [1, 2], step: andThen({ id: 'price', name: 'Price a line', execute: ({ data }) => data }) })
      .andThen({ id: 'charge', name: 'Charge', execute: ({ input }) => new Promise((done) => setTimeout(done, input.ms, 1)) })
      .andAgent({ id: 'ask', agent: clerk, prompt: 'Hi' })
      .andAgent({ id: 'check', agent: local, prompt: 'Hi' })
      .andThen({ id: 'ship', retries: 0, execute: ({ input }) => { if (input.fail) throw new Error('no van'); return {} } })
    const idle = createWorkflow({ id: 'idle', name: 'Idle' }).andThen({ id: 'rest', execute: () => 1 })
    export default defineConfig({
      agents: [clerk, local],
      workflows: [order, idle],
      prices: { 'scripted/priced': { input: 2, output: 10 } },
      budgets: [{ per: 'agent', usd: 1, tokens: 100_000, every: '24h' }],
    })
  `,
})
let slow = ''
beforeAll(async () => {
  await project.start()
  for (let count = 0; count < 20; count++) await project.execute('order', { ms: 0, fail: count === 0 })
  slow = await project.execute('order', { ms: 400 })
  await project.server.post('/agents/clerk/text', { input: 'Hi' })
})
afterAll(() => project.end())

const LOOKS = [
  { theme: 'light', size: { width: 1440, height: 900 } },
  { theme: 'dark', size: { width: 1024, height: 700 } },
  { theme: 'dark', size: { width: 390, height: 844 } },
] as const

describe.each(LOOKS)('%j', (look) => {
  it('the page Costs sums them by model, agent, workflow, step and time', async () => {
    const { page, axe, complaints } = await project.browser.open('costs', look)
    const rowOf = (table: string, name: string) =>
      page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: name })
    const text = async (table: string, name: string) =>
      (await rowOf(table, name).innerText()).replaceAll(/\s+/g, ' ')
    await page.getByRole('status').filter({ hasText: '43 calls' }).waitFor()
    await page.getByText('$0.066 + 21 calls of unknown cost').first().waitFor()
    expect(await text('By model', 'scripted/priced')).toMatch(/^scripted\/priced \$0\.066 22/)
    expect(await text('By model', 'scripted/other')).toMatch(/^scripted\/other unknown 21/)
    expect(await text('By agent', 'clerk')).toMatch(/^clerk \$0\.066 22/)
    expect(await text('By workflow', 'order')).toMatch(/^order \$0\.063 \+ 21 calls of unknown cost 42/)
    expect(await text('By workflow', 'none')).toMatch(/^none: requests to agents \$0\.003 1/)
    expect(await text('By step', 'ask')).toMatch(/^ask order \$0\.063 21/)
    expect(await page.getByRole('table', { name: 'By day (UTC)' }).getByRole('row').count()).toBeGreaterThan(
      1,
    )
    const chart = page.getByRole('figure').filter({ hasText: 'Cost per day' })
    const days = chart.getByRole('table', { name: 'Cost per day' }).getByRole('row')
    // seven days back to the hour, so eight dates; the cost is that of today
    expect(await days.count()).toBe(1 + 8)
    expect((await days.last().innerText()).split(/\s+/).at(-1)).toBe('0.066')
    const figures = (await chart.locator('[aria-hidden=true]').allInnerTexts()).join(' ')
    expect(figures.replaceAll(/\s+/g, ' ')).toMatch(/\$0\.080? \$0\.040? 0 .*\$0\.066$/)
    await page.getByRole('heading', { name: 'Budgets' }).waitFor()
    await page.getByText('config, per agent every 24 h').waitFor()
    await page.getByText('$0.066 of $1.00, 24,200 of 100,000 tokens, clerk').waitFor()
    expect(await axe()).toEqual([])
    await page.getByRole('button', { name: '1 hour' }).click()
    await page.getByRole('table', { name: 'By hour' }).waitFor()
    expect(new URL(page.url()).searchParams.get('last')).toBe('1h')
    await page.getByRole('button', { name: 'Custom' }).click()
    await page.getByLabel('From').fill('2001-01-01T00:00')
    await page.getByLabel('To').fill('2001-01-02T00:00')
    await page.getByRole('heading', { name: 'No model calls in this time' }).waitFor()
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })

  it('an execution shows that a step was slower than usual, and what it cost', async () => {
    const { page, axe, complaints } = await project.browser.open(`executions/${slow}`, look)
    const row = page.getByRole('treeitem', { name: /^Charge/ })
    await expect.poll(() => row.innerText()).toMatch(/(?:\d+|over 100) × slower/)
    await row.click()
    const panel = page.getByRole('region', { name: 'Details of Charge' })
    await expect.poll(() => panel.innerText()).toMatch(/(?:\d+|over 100) × slower than usual/)
    expect(await panel.innerText()).toMatch(/Usual\s+[^\n]*, 95 % up to [^\n]* \(21 runs in 7 days\)/)
    expect(await axe()).toEqual([])
    // the run itself again
    await page.keyboard.press('Escape')
    await page.getByRole('definition').getByRole('link', { name: 'unknown' }).click()
    const table = page.getByRole('table', { name: 'By step, agent and model' })
    const texts = async () =>
      (await table.getByRole('row').allInnerTexts()).map((one) => one.replaceAll(/\s+/g, ' '))
    await expect
      .poll(texts)
      .toEqual([
        expect.stringMatching(/^Step Cost Calls/),
        expect.stringMatching(/^ask clerk, scripted\/priced \$0\.003 1/),
        expect.stringMatching(/^check local, scripted\/other unknown 1/),
      ])
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })

  it('a workflow has the durations, runs, errors and costs of its steps', async () => {
    const { page, axe, complaints } = await project.browser.open('workflows/order?tab=statistics', look)
    const rows = page.getByRole('grid', { name: 'Statistics of steps' }).getByRole('row')
    const texts = async () =>
      (await rows.allInnerTexts())
        .slice(1)
        .map((one) => one.replaceAll(/(?<=Runs|Errors|Cost)(?=\S)|\s+/g, ' ').trim())
    await expect.poll(async () => (await texts()).length).toBe(6)
    const [lines, price, charge, ask, check, ship] = await texts()
    expect(lines).toMatch(/^lines .*\b21 .*–$/)
    expect(price).toMatch(/^Price a line .*\b42 /)
    expect(charge).toMatch(/^Charge .*\b21 /)
    expect(ask).toMatch(/^ask .*\$0\.063$/)
    expect(check).toMatch(/^check .*unknown$/)
    expect(ship).toMatch(/^ship .*\b21 .*1 \(5 %\)/)
    expect(await axe()).toEqual([])
    await page.getByRole('link', { name: 'Price a line' }).click()
    await expect.poll(() => page.url()).toContain('tab=steps&step=lines%2Fprice')
    expect(complaints).toEqual([])
  })

  it('an agent has its costs by model and day', async () => {
    const { page, axe, complaints } = await project.browser.open('agents/clerk?tab=costs', look)
    const row = page.getByRole('table', { name: 'By model' }).getByRole('row').nth(1)
    await expect
      .poll(async () => (await row.innerText()).replaceAll(/\s+/g, ' '))
      .toMatch(/^scripted\/priced \$0\.066 22/)
    await page.getByRole('table', { name: 'By day (UTC)' }).waitFor()
    expect(await page.getByRole('table', { name: 'By agent' }).count()).toBe(0)
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })
})

it('a workflow without runs shows how to run it', async () => {
  const { page, axe } = await project.browser.open('workflows/idle?tab=statistics')
  await page.getByRole('heading', { name: 'No steps have ended in the last 7 days' }).waitFor()
  expect(await page.getByText('run-workflow idle').count()).toBe(1)
  expect(await axe()).toEqual([])
})
