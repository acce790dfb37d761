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
        createSchedule({ id: 'weekly', cron: '0 6 * * MON', timezone: 'Europe/Berlin', workflow: report }),
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
  it.each(SIZES)('lists schedules with their times and next run: $width px', async (size) => {
    const { page, axeInBothThemes, complaints } = await project.browser.open('', { size })
    await page.getByRole('heading', { name: 'Next runs' }).waitFor()
    expect(await axeInBothThemes()).toEqual([])
    await page.keyboard.press('g')
    await page.keyboard.press('d')
    const rows = page.getByRole('grid', { name: 'Schedules' }).getByRole('row')
    await expect.poll(() => rows.count()).toBe(4)
    const texts = (await rows.allInnerTexts()).slice(1).map((text) => text.replaceAll(/\s+/g, ' '))
    expect(texts[0]).toMatch(/^daily report 09:00, Monday to Friday \(Europe\/Berlin\) in \d+ (?:d|h|min|s) /)
    expect(texts[1]).toMatch(/^often report every 15m (?:in \d+ (?:min|s)|now) /)
    expect(texts[2]).toMatch(/^weekly report 06:00, Mondays \(Europe\/Berlin\) /)
    expect(await axeInBothThemes()).toEqual([])
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
    const earlier = page.getByRole('list', { name: 'Earlier runs of daily' }).getByRole('link')
    await earlier.first().waitFor()
    expect(await earlier.count()).toBe(1)
    expect(await earlier.first().getAttribute('title')).toMatch(/^completed, \d{4}-\d\d-\d\d /)
    expect(await axe()).toEqual([])
    await earlier.first().click()
    await page.waitForURL(/executions\/[0-9a-f-]{36}/)
    const details = page.getByRole('region', { name: 'Run', exact: true })
    await details.getByRole('link', { name: 'daily', exact: true }).click()
    await page.getByText('Schedule', { exact: true }).waitFor()
    await expect.poll(() => page.getByRole('grid', { name: 'Runs' }).getByRole('row').count()).toBe(3)
    await page.getByRole('button', { name: 'Remove filter: Schedule' }).click()
    await expect.poll(() => page.getByRole('grid', { name: 'Runs' }).getByRole('row').count()).toBe(4)
    expect(complaints).toEqual([])
  })

  it.each([1024, 390])('shows the earlier runs of a schedule beside the last one, %i px', async (width) => {
    const { page, axe } = await project.browser.open('schedules', { size: { width, height: 800 } })
    const runs = page.getByRole('list', { name: 'Earlier runs of daily' })
    const box = (await runs.boundingBox()) ?? { x: -1, width: 0 }
    expect(box.width).toBeGreaterThanOrEqual(24)
    expect(box.x + box.width).toBeLessThan(width)
    await page.getByRole('row').filter({ hasText: 'daily' }).getByText('completed').waitFor()
    expect(await axe()).toEqual([])
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
