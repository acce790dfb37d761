import fs from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const config = (factor: number | string, farewell = 'Good bye') => ({
  'agentserver.config.ts': `
    import fs from 'node:fs'
    import { createAgent, createWorkflow, defineConfig } from 'agentserver'
    import { scriptedModel } from 'agentserver/testing'
    // an order of three items waits while there is a file "hold"
    const isHeld = () => fs.existsSync(new URL('hold', import.meta.url))
    const order = createWorkflow({ id: 'order', name: 'Order' }).andThen({ id: 'price', execute: async ({ data, signal }) => {
      while (data.items === 3 && isHeld() && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, 5))
      return { total: data.items * ${factor}, currency: 'CHF' }
    } })
    const text = ${JSON.stringify('Dear customer. '.repeat(60))} + '${farewell}'
    const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Be kind.', model: scriptedModel([text], { repeatLast: true }) })
    export default defineConfig({ workflows: [order], agents: [clerk] })
  `,
})
const evalFile = (threshold: string) => ({
  'orders.eval.ts': `
    import { contains, createEval } from 'agentserver'
    export default createEval({ id: 'orders', target: { workflow: 'order' }, cases: 'cases/orders/*.json', threshold: ${threshold} })
    export const letters = createEval({
      id: 'letters', target: { agent: 'clerk' }, scorers: [contains()],
      cases: [{ id: 'first', input: 'Hi', expected: 'Dear' }],
    })
  `,
})
const orderCase = (items: number) => ({
  [`cases/orders/o-${items}.json`]: JSON.stringify({
    target: { workflow: 'order' },
    input: { items },
    expected: { total: items * 10, currency: 'CHF' },
  }),
})

const project = new ConsoleProject({
  ...config(10),
  ...evalFile('0.9'),
  ...orderCase(1),
  ...orderCase(2),
  ...orderCase(3),
})
beforeAll(() => project.start())
afterAll(() => project.end())

const start = (page: Page) => page.getByRole('button', { name: 'Run with the code as saved' })
const cases = (page: Page) => page.getByRole('grid', { name: 'Cases' })
const caseRow = (page: Page, id: string) => cases(page).getByRole('row').filter({ hasText: id })
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()

/** Runs an eval on its page until the run has ended with a status. */
async function run(page: Page, evalId: string, status: string): Promise<void> {
  await page.goto(new URL(`/console/evals/${evalId}`, project.server.url).href)
  await start(page).click()
  await heading(page, `Run of ${evalId}`)
  await page.locator('header').getByText(status, { exact: true }).waitFor()
}

describe('evals in the console, in both themes', () => {
  it('are listed with score and threshold, run from there, and show each case as it ends', async () => {
    project.write({ hold: '', ...config(10) })
    const { page, complaints, axeInBothThemes } = await project.browser.open('evals')
    const row = page.getByRole('row').filter({ hasText: 'orders' })
    expect(await row.innerText()).toContain('0.90')
    await row.getByRole('button', { name: 'Run' }).click()
    await heading(page, 'Run of orders')
    await caseRow(page, 'o-2.json').getByText('1.00').first().waitFor()
    await page.getByText('2 of 3').waitFor()
    expect(await page.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('2')
    expect(await caseRow(page, 'o-3.json').count()).toBe(0)
    expect(await axeInBothThemes()).toEqual([])
    fs.rmSync(project.path('hold'))
    await caseRow(page, 'o-3.json').waitFor()
    await page.locator('header').getByText('passed').waitFor()
    await start(page).waitFor()
    expect(await axeInBothThemes()).toEqual([])
    await page.getByRole('link', { name: 'Evals', exact: true }).click()
    await row.getByText('passed').waitFor()
    await row.getByRole('img', { name: /^Scores of the last \d+ runs: .*1\.00$/ }).waitFor()
    expect(await axeInBothThemes()).toEqual([])
    expect(complaints).toEqual([])
  })

  it('show two runs side by side, with the differences of a case and its trace', async () => {
    project.write(config(10))
    const { page, complaints, axeInBothThemes } = await project.browser.open('evals')
    await run(page, 'orders', 'passed')
    project.write(config('(data.items === 2 ? 9 : 10)'))
    await run(page, 'orders', 'failed')
    await page.getByText('0 higher, 1 lower, 1 output changed').waitFor()
    expect((await caseRow(page, 'o-2.json').innerText()).split(/\s+/).join(' ')).toContain(
      'o-2.json 0.00 1.00 −1.00 changed /total: expected 20, got 18',
    )
    await page.getByRole('button', { name: 'Changed' }).click()
    await expect.poll(() => cases(page).getByRole('row').count()).toBe(2)
    await caseRow(page, 'o-2.json').click()
    const panel = page.getByRole('region', { name: 'cases/orders/o-2.json', exact: true })
    for (const label of ['Differences from what is expected', 'Differences from the other run'])
      expect((await panel.getByRole('list', { name: label }).innerText()).split(/\s+/).join(' ')).toBe(
        'total - 20 + 18',
      )
    await panel.getByText('in the other run 1.00').waitFor()
    for (const size of [1440, 1024, 390]) {
      await page.setViewportSize({ width: size, height: 900 })
      expect(await axeInBothThemes()).toEqual([])
    }
    // the calls of the case, without leaving the page
    await panel.getByRole('tree', { name: 'Calls over time' }).getByText('price').first().waitFor()
    const address = page.url()
    await panel.getByRole('link', { name: 'Request' }).click()
    await page.getByRole('tree').getByText('price').first().waitFor()
    await page.goto(address)
    await panel.waitFor()
    await page.getByRole('combobox', { name: 'Compare with' }).click()
    await page.getByRole('option', { name: 'no run' }).click()
    await expect.poll(() => page.getByText(/higher.*lower/).count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('show the score over time, with all runs and the change of each', async () => {
    const { page, complaints, axeInBothThemes } = await project.browser.open('evals')
    project.write(config(5))
    await run(page, 'orders', 'failed')
    project.write(config(10))
    await run(page, 'orders', 'passed')
    await page.goBack()
    await heading(page, 'orders')
    await page.getByRole('tab', { name: 'Runs' }).click()
    const newest = page.getByRole('grid', { name: 'Runs' }).getByRole('row').nth(1)
    await newest.getByText('+1.00').waitFor()
    expect(await newest.innerText()).toContain('passed')
    await page.getByRole('figure').getByText('threshold 0.90').waitFor()
    expect(
      await page.getByRole('table', { name: 'Score over time' }).getByRole('row').count(),
    ).toBeGreaterThan(2)
    expect(await axeInBothThemes()).toEqual([])
    await newest.click()
    await heading(page, 'Run of orders')
    expect(complaints).toEqual([])
  })

  it('show where long texts differ', async () => {
    const { page, complaints } = await project.browser.open('evals')
    project.write(config(10, 'Good bye'))
    await run(page, 'letters', 'passed')
    project.write(config(10, 'See you'))
    await run(page, 'letters', 'passed')
    await caseRow(page, 'first').click()
    const list = page.getByRole('list', { name: 'Differences from the other run' })
    expect(await list.innerText()).toMatch(/- "….*Good bye"\s+\+ "….*See you"/)
    expect(complaints).toEqual([])
  })
})

const columnsOf = async (page: Page, id: string) => {
  const names = await cases(page).getByRole('columnheader').allInnerTexts()
  const texts = await caseRow(page, id).getByRole('gridcell').allInnerTexts()
  return Object.fromEntries(names.map((name, index) => [name, texts[index]]))
}

describe('an eval', () => {
  const fresh = new ConsoleProject({ ...config(10), ...evalFile('0.9'), ...orderCase(1), ...orderCase(2) })
  beforeAll(() => fresh.start())
  afterAll(() => fresh.end())

  it('shows its cases before the first run, then the outputs and scores beside, until an input changes', async () => {
    const { page, complaints, axe } = await fresh.browser.open('evals/orders')
    const planned = {
      Case: 'o-2.json',
      Score: '',
      Input: '{"items":2}',
      Expected: '{"total":20,"currency":"CHF"}',
      Output: '',
      Scores: 'equals',
    }
    await caseRow(page, 'o-2.json').waitFor()
    expect(await columnsOf(page, 'o-2.json')).toEqual(planned)
    await caseRow(page, 'o-2.json').click()
    const panel = page.getByRole('region', { name: 'cases/orders/o-2.json', exact: true })
    await panel.getByRole('heading', { name: 'Expected' }).waitFor()
    expect(await panel.getByRole('heading').allInnerTexts()).toEqual([
      'cases/orders/o-2.json',
      'Expected',
      'Input',
    ])
    for (const size of [1280, 390]) {
      await page.setViewportSize({ width: size, height: 900 })
      expect(await axe()).toEqual([])
    }
    await page.setViewportSize({ width: 1280, height: 900 })
    await start(page).click()
    await page.locator('header').getByText('passed').waitFor()
    await page.goBack()
    await caseRow(page, 'o-2.json').getByText('equals 1.00').waitFor()
    expect(await columnsOf(page, 'o-2.json')).toMatchObject({
      Score: expect.stringContaining('1.00') as string,
      Output: '{"total":20,"currency":"CHF"}',
    })
    await panel.getByRole('tree', { name: 'Calls over time' }).getByText('price').first().waitFor()
    fresh.write({
      'cases/orders/o-2.json': JSON.stringify({
        target: { workflow: 'order' },
        input: { items: 7 },
        expected: 1,
      }),
    })
    await page.reload()
    await caseRow(page, 'o-2.json').getByText('{"items":7}').waitFor()
    expect(await columnsOf(page, 'o-2.json')).toMatchObject({ Score: '', Output: '', Scores: 'equals' })
    expect(complaints).toEqual([])
  })
})

describe('an eval with several hundred cases', () => {
  const many = Array.from({ length: 450 }, (_, n) => ({ id: `case-${n}`, input: { items: n }, expected: n }))
  const large = new ConsoleProject({
    ...config(10),
    'large.eval.ts': `
      import { createEval } from 'agentserver'
      export default createEval({ id: 'large', target: { workflow: 'order' }, cases: ${JSON.stringify(many)} })
    `,
  })
  beforeAll(() => large.start())
  afterAll(() => large.end())

  it('opens the case of a link, on whichever page of the list it is, and keeps it while that scrolls', async () => {
    const { page, complaints } = await large.browser.open(
      `evals/large?case=${encodeURIComponent('large/case-430')}`,
    )
    const panel = page.getByRole('region', { name: 'large/case-430', exact: true })
    await panel.getByText('430').first().waitFor()
    await cases(page).focus()
    await page.keyboard.press('End')
    await caseRow(page, 'case-449').waitFor()
    expect(await panel.count()).toBe(1)
    expect(complaints).toEqual([])
  })
})

describe('a run of an eval', () => {
  it('is cancelled, and keeps the cases that have ended', async () => {
    project.write({ hold: '', ...config(10) })
    const { page, complaints } = await project.browser.open('evals/orders')
    await start(page).click()
    await page.getByText('2 of 3').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('header').getByText('cancelled').waitFor()
    expect(await caseRow(page, 'o-1.json').count()).toBe(1)
    fs.rmSync(project.path('hold'))
    expect(complaints).toEqual([])
  })

  it('that can not be loaded shows the code, and so does the list until the file is mended', async () => {
    const { page, complaints, axe } = await project.browser.open('evals')
    project.write(evalFile('2'))
    await page.reload()
    const bar = page.getByRole('alert', { name: 'Evals error' })
    await bar.getByText('threshold must be a number from 0 to 1').waitFor()
    await bar.getByText(/orders\.eval\.ts:\d+:\d+/).waitFor()
    await bar
      .getByRole('group', { name: 'Code' })
      .getByText(/> \d+ \|.*threshold: 2/)
      .waitFor()
    expect(await axe()).toEqual([])
    await run(page, 'orders', 'could not run')
    await bar.getByText('threshold must be a number from 0 to 1').waitFor()
    project.write(evalFile('0.9'))
    await run(page, 'orders', 'passed')
    expect(await bar.count()).toBe(0)
    expect(complaints).toEqual([])
  })
})
