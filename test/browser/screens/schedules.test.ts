import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { createSchedule, createWorkflow, defineConfig } from 'agentserver'
    const report = createWorkflow({ id: 'report' }).andThen({ id: 'send', execute: () => ({ sent: true }) })
    export default defineConfig({
      workflows: [report],
      schedules: [
        createSchedule({ id: 'daily', cron: '0 9 * * 1-5', timezone: 'Europe/Berlin', workflow: report }),
        createSchedule({ id: 'often', every: '15m', workflow: report }),
      ],
    })
  `,
})
beforeAll(() => project.start())
afterAll(() => project.end())

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 700 },
  { width: 760, height: 600 },
]

describe('the page Schedules', () => {
  it.each([
    ...SIZES.map((size) => ({ theme: 'light' as const, size })),
    ...SIZES.map((size) => ({ theme: 'dark' as const, size })),
  ])('lists schedules with their times and next run: %j', async ({ theme, size }) => {
    const { page, axe, complaints } = await project.browser.open('', { theme, size })
    await page.getByRole('heading', { name: 'Next runs' }).waitFor()
    expect(await axe()).toEqual([])
    await page.keyboard.press('g')
    await page.keyboard.press('d')
    const rows = page.getByRole('grid', { name: 'Schedules' }).getByRole('row')
    await expect.poll(() => rows.count()).toBe(3)
    const texts = (await rows.allInnerTexts()).slice(1).map((text) => text.replaceAll(/\s+/g, ' '))
    expect(texts[0]).toMatch(/^daily report 09:00, Monday to Friday \(Europe\/Berlin\) in \d+ (?:d|h|min|s) /)
    expect(texts[1]).toMatch(/^often report every 15m (?:in \d+ (?:min|s)|now) /)
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })

  it('runs a schedule now, pauses it and resumes it', async () => {
    const { page, axe, complaints } = await project.browser.open('schedules')
    const row = page.getByRole('row').filter({ hasText: 'daily' })
    await row.getByRole('button', { name: 'Run' }).click()
    await page.getByText('Run started').waitFor()
    await row.getByText('completed').waitFor()
    await row.getByRole('button', { name: 'Pause' }).click()
    await row.getByText('paused').waitFor()
    expect(await axe()).toEqual([])
    await row.getByRole('button', { name: 'Resume' }).click()
    await row.getByText(/in \d+/).waitFor()
    // a run by hand of the same workflow is none of the schedule
    await project.execute('report', {})
    await row.getByRole('button', { name: 'Run' }).click()
    const past = page.getByRole('list', { name: 'Past runs of daily' }).getByRole('link')
    await expect.poll(() => past.count()).toBe(2)
    expect(await past.first().getAttribute('title')).toMatch(/^completed, \d{4}-\d\d-\d\d /)
    expect(await axe()).toEqual([])
    await past.first().click()
    await page.waitForURL(/executions\/[0-9a-f-]{36}/)
    expect(complaints).toEqual([])
  })

  it('shows how to declare the first schedule', async () => {
    const { page, axe } = await project.browser.open('', {
      prepare: (context) =>
        context.route('**/schedules', (route) => route.fulfill({ json: { success: true, data: [] } })),
    })
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('link', { name: 'Schedules' }).first().click()
    await page.getByRole('heading', { name: 'No schedules yet' }).waitFor()
    expect(await page.getByText('createSchedule({').count()).toBe(1)
    expect(await axe()).toEqual([])
  })
})
