import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject()

beforeAll(async () => {
  await project.start()
  await project.execute('order', { orderId: 'a', amount: 1 })
  await project.execute('order', { orderId: 'b', amount: 500 })
  await project.execute('broken', {})
})
afterAll(() => project.end())

describe.each([1280, 390])('Home, in both themes, %i px', (width) => {
  const size = { width, height: 800 }

  it('shows recent, failed and suspended executions, without accessibility or CSP violations', async () => {
    const { page, complaints, axeInBothThemes } = await project.browser.open('', { size })
    const needs = page.getByRole('region', { name: 'Needs you (2)' })
    await expect.poll(() => needs.innerText()).toMatch(/1 to decide\s+1 failed/)
    await needs.getByRole('list', { name: 'Failed' }).getByText('card declined').waitFor()
    expect(await page.getByRole('term').allInnerTexts()).toContain('Failed, 24 h')
    const runs = page.getByRole('region', { name: 'Recent runs' }).getByRole('row')
    await expect.poll(() => runs.count()).toBe(4)
    const charts = page.getByRole('region', { name: 'Last hour' })
    await expect.poll(() => charts.innerText()).toContain('1 completed, 1 failed, 0 cancelled')
    expect(await page.getByRole('region', { name: 'Configuration' }).innerText()).toContain('Generation 1')
    await expect.poll(() => page.title()).toBe('(2) Home · agentserver')
    expect(await axeInBothThemes()).toEqual([])
    expect(complaints).toEqual([])
  })
})

describe('Home', () => {
  it('updates live', async () => {
    const { page } = await project.browser.open('')
    const runs = page.getByRole('region', { name: 'Recent runs' })
    await runs.getByRole('row').nth(1).waitFor()
    await project.execute('order', { orderId: 'live', amount: 2 })
    await expect.poll(() => runs.innerText()).toContain('"orderId":"live"')
    await expect
      .poll(() => page.getByRole('region', { name: 'Last hour' }).innerText())
      .toContain('2 completed')
  })

  it('shows the last hour first, then 24 hours from the first with a run', async () => {
    const { page } = await project.browser.open('')
    const hour = page.getByRole('region', { name: 'Last hour' })
    const bars = (region: typeof hour) => region.getByRole('table', { name: 'Runs' }).getByRole('row')
    await expect.poll(() => bars(hour).count()).toBeLessThanOrEqual(1 + 12)
    await page.getByRole('button', { name: '24 hours' }).click()
    const day = page.getByRole('region', { name: 'Last 24 hours' })
    // a project that is some minutes old has no 24 bars
    await expect.poll(() => bars(day).count()).toBe(1 + 6)
    expect(await day.innerText()).toContain('2 completed')
    expect(new URL(page.url()).search).toBe('?range=day')
  })

  it('replays a failed execution from the failed step', async () => {
    const { page } = await project.browser.open('', { expected: /status of 500/ })
    await page.getByRole('link', { name: '1 failed' }).click()
    const failed = page.getByRole('listitem').filter({ hasText: 'card declined' })
    await failed.getByRole('button', { name: 'Replay' }).click()
    const dialog = page.getByRole('dialog', { name: 'Replay a failure' })
    await dialog.getByRole('button', { name: 'Replay all' }).click()
    await dialog.getByText('Replayed 1 of 1: 0 completed, 1 failed').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => failed.innerText()).toContain('2 ×')
    await expect.poll(() => page.title()).toContain('(2)')
  })

  it('dismisses a failure until it occurs again, and remembers it', async () => {
    const { page } = await project.browser.open('')
    await page.getByRole('region', { name: 'Needs you (2)' }).waitFor()
    await page.getByRole('link', { name: '1 failed' }).click()
    await page.getByRole('button', { name: 'Dismiss', exact: true }).click()
    const navigation = page.getByRole('navigation', { name: 'Console' })
    await expect.poll(() => navigation.innerText()).toMatch(/Inbox\s*1/)
    await page.reload()
    await page.getByText('No failures').waitFor()
    await expect.poll(() => navigation.innerText()).toMatch(/Inbox\s*1/)
    await project.execute('broken', {})
    await expect.poll(() => navigation.innerText()).toMatch(/Inbox\s*2/)
    await page.getByRole('link', { name: '3 ×' }).waitFor()
  })

  it('leads to the decision that waits in one click, and to the run from there', async () => {
    const { page } = await project.browser.open('')
    await page.getByRole('list', { name: 'To decide' }).getByRole('link').first().click()
    await page.waitForURL(/\/inbox\?item=/)
    await page.getByRole('list', { name: 'Decisions' }).getByRole('link').first().click()
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/\/executions\/.+/)
  })

  it('leads to the failure that waits in one click', async () => {
    await project.execute('broken', {})
    const { page } = await project.browser.open('')
    await page.getByRole('list', { name: 'Failed' }).getByRole('link').first().click()
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/\/executions\/.+/)
    await page.getByText('card declined').first().waitFor()
  })

  it('shows example code without workflows and agents', async () => {
    const { page, axe, complaints } = await project.browser.open('', {
      theme: 'dark',
      size: { width: 1024, height: 700 },
      prepare: (context) =>
        context.route(/\/(workflows|agents)$/, (route) =>
          route.fulfill({ json: { success: true, data: [] } }),
        ),
    })
    await page.getByText('No workflows or agents yet').waitFor()
    expect(await page.getByRole('group', { name: 'Code' }).first().innerText()).toContain('defineConfig')
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })

  it('lists a failed load of the configuration', async () => {
    const { page } = await project.browser.open('')
    const changes = page.getByRole('region', { name: 'Configuration' })
    await changes.getByText('Generation 1').waitFor()
    const whole = project.read('agentserver.config.ts')
    project.write({ 'agentserver.config.ts': `${whole}\nexport const broken = {\n` })
    await changes.getByText(/SyntaxError.*agentserver\.config\.ts:\d+/).waitFor()
    project.write({ 'agentserver.config.ts': whole })
    await expect.poll(() => changes.innerText()).toContain('Generation 2')
  })
})
