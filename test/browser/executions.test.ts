import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from './console-project.ts'

const project = new ConsoleProject()
const ids: Record<string, string> = {}

beforeAll(async () => {
  await project.start()
  ids['completed'] = await project.execute('order', { orderId: 'a', amount: 1 })
  ids['suspended'] = await project.execute('order', { orderId: 'b', amount: 500 })
  ids['error'] = await project.execute('broken', {})
})
afterAll(() => project.end())

describe.each(['light', 'dark'] as const)('the list of executions, %s', (theme) => {
  it('shows what ran and how it ended, and keeps every rule', async () => {
    const { page, complaints, axe } = await project.browser.open('executions', { theme })
    const rows = page.getByRole('grid', { name: 'Executions' }).getByRole('row')
    await rows.nth(3).waitFor()
    const texts = await rows.allInnerTexts()
    expect(texts[1]).toContain('card declined')
    expect(texts[2]).toMatch(/suspended[\s\S]*approve: over limit/)
    expect(texts[3]).toContain('completed')
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })
})

describe('the list of executions', () => {
  it('keeps its filters in the address, under the names of the API', async () => {
    const { page } = await project.browser.open('executions?status=error')
    const grid = page.getByRole('grid', { name: 'Executions' })
    await expect.poll(() => grid.getByRole('row').count()).toBe(2)
    await page.getByLabel('Status').selectOption('suspended')
    await expect.poll(() => grid.innerText()).toContain('over limit')
    expect(new URL(page.url()).search).toBe('?status=suspended')
    await page.getByLabel('Workflow').selectOption('broken')
    await page.getByText('No execution fits these filters').waitFor()
  })

  it('shows a new execution without being asked', async () => {
    const { page } = await project.browser.open('executions?userId=')
    await page.getByRole('grid').waitFor()
    const before = await page.getByRole('row').count()
    await project.execute('order', { orderId: 'new', amount: 1 })
    await expect.poll(() => page.getByRole('row').count()).toBe(before + 1)
  })

  it('is driven by the keyboard', async () => {
    const { page } = await project.browser.open('executions')
    await page.getByRole('row').nth(2).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/console\/executions\/.+/)
  })
})
