import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'
import { chooseOption } from '../../support/browser/choose-option.ts'

const project = new ConsoleProject()
const ids: Record<string, string> = {}

beforeAll(async () => {
  await project.start()
  ids['completed'] = await project.execute('order', { orderId: 'a', amount: 1 })
  ids['suspended'] = await project.execute('order', { orderId: 'b', amount: 500 })
  ids['error'] = await project.execute('broken', {})
})
afterAll(() => project.end())

describe('the list of executions, in both themes', () => {
  it('shows status and details, without accessibility or CSP violations', async () => {
    const { page, complaints, axeInBothThemes } = await project.browser.open('executions')
    const rows = page.getByRole('grid', { name: 'Runs' }).getByRole('row')
    await rows.nth(3).waitFor()
    const texts = await rows.allInnerTexts()
    expect(texts[1]).toContain('card declined')
    expect(texts[1]).toContain('Broken')
    expect(texts[2]).toMatch(/suspended[\s\S]*approve: over limit/)
    expect(texts[3]).toContain('completed')
    expect(await axeInBothThemes()).toEqual([])
    expect(complaints).toEqual([])
  })
})

describe('the list of executions', () => {
  it('keeps its filters in the URL, under the parameter names of the API', async () => {
    const { page } = await project.browser.open('executions?status=error')
    const grid = page.getByRole('grid', { name: 'Runs' })
    await expect.poll(() => grid.getByRole('row').count()).toBe(2)
    await chooseOption(page.getByLabel('Status'), 'suspended')
    await expect.poll(() => grid.innerText()).toContain('over limit')
    expect(new URL(page.url()).search).toBe('?status=suspended')
    await chooseOption(page.getByLabel('Workflow'), 'Broken')
    await page.getByText('No runs match these filters').waitFor()
  })

  it('finds executions by their contents, in the list and in the search', async () => {
    const { page } = await project.browser.open('executions')
    const rows = page.getByRole('grid', { name: 'Runs' }).getByRole('row')
    await rows.nth(3).waitFor()
    await page.keyboard.press('f')
    await page.keyboard.type('card decl')
    await expect.poll(() => rows.count()).toBe(2)
    expect(await rows.nth(1).innerText()).toContain('card declined')
    await page.getByLabel('Search', { exact: true }).fill('colour:red')
    await page.getByText('Unknown filter "colour"').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).fill('status:error workflow:broken')
    await page.getByRole('option', { name: /^Broken.*failed/s }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/console/executions/${ids['error']}`)
  })

  it('adds new executions live', async () => {
    const { page } = await project.browser.open('executions?userId=')
    await page.getByRole('grid').waitFor()
    const before = await page.getByRole('row').count()
    await project.execute('order', { orderId: 'new', amount: 1 })
    await expect.poll(() => page.getByRole('row').count()).toBe(before + 1)
  })

  it('is operated by keyboard', async () => {
    const { page } = await project.browser.open('executions')
    await page.getByRole('row').nth(2).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/console\/executions\/.+/)
  })

  it('cancels several executions selected by keyboard, and skips ended ones', async () => {
    for (const orderId of ['x', 'y']) await project.execute('order', { orderId, amount: 500 })
    const { page, complaints, axe } = await project.browser.open('executions')
    await page.getByRole('row').nth(3).waitFor()
    for (const key of ['j', 'x', 'j', 'x', 'j', 'x']) await page.keyboard.press(key)
    const bar = page.getByRole('region', { name: 'Selection' })
    await bar.getByText('3 selected').waitFor()
    expect(await axe()).toEqual([])
    await page.keyboard.press('c')
    const dialog = page.getByRole('dialog', { name: /Cancel 2 runs/ })
    await dialog.getByLabel('Reason').fill('tidied up')
    await page.keyboard.press('Enter')
    await page.getByText('Cancelled 2').waitFor()
    await expect.poll(() => bar.count()).toBe(0)
    await expect.poll(() => page.getByRole('row').nth(1).innerText()).toContain('cancelled')
    expect(await page.getByRole('row').nth(3).innerText()).toContain('completed')
    expect(complaints).toEqual([])
  })

  it('exports the selected executions with their steps', async () => {
    const { page } = await project.browser.open('executions?status=error')
    await page.getByRole('row').nth(1).waitFor()
    await page.getByRole('button', { name: 'Select all' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export as JSON' }).click()
    const file = project.path('executions.json')
    await (await download).saveAs(file)
    const [record] = JSON.parse(fs.readFileSync(file, 'utf8')) as { id: string; steps: unknown[] }[]
    expect(record).toMatchObject({ id: ids['error'], steps: [{ stepId: 'pay' }] })
  })

  it('filters by time and by lineage', async () => {
    const { page } = await project.browser.open(`executions?forkedFrom=${ids['completed']}`)
    await page.getByText('No runs match these filters').waitFor()
    await page.getByRole('button', { name: 'Remove filter: Replays of' }).click()
    await page.getByRole('row').nth(1).waitFor()
    await chooseOption(page.getByLabel('Time'), 'last hour')
    await expect.poll(() => new URL(page.url()).searchParams.get('last')).toBe('1h')
    await page.getByRole('row').nth(1).waitFor()
    await chooseOption(page.getByLabel('Time'), 'custom')
    await page.getByLabel('Before').fill('2020-01-01T00:00')
    await page.getByText('No runs match these filters').waitFor()
    expect(new URL(page.url()).searchParams.get('to')).toMatch(/^20(19|20)-.*Z$/)
    await page.getByLabel('Before').fill('')
    await page.getByLabel('After').fill('2020-01-01T00:00')
    await page.getByRole('row').nth(1).waitFor()
  })

  it('shows the validation error of a filter', async () => {
    const { page } = await project.browser.open('executions?from=yesterday', { expected: /400/ })
    await expect.poll(() => page.getByRole('alert').innerText()).toMatch(/400[\s\S]*from: .*instant/)
  })
})
