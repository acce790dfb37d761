import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MachineSummary } from '../../../src/contract/endpoints/observability.ts'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { createWorkflow, defineConfig } from 'agentserver'
    export default defineConfig({
      workflows: [createWorkflow({ id: 'order' }).andThen({ id: 'pay', execute: () => ({ paid: true }) })],
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
const OLD = '0.1.0+0f0f0f0f0f0f'
const NEW = '0.1.0+3f9a2c41d0e5'

function machine(id: string, release: string, self = false): MachineSummary {
  return { id, release, load: 0.125, executions: 1204, lastBeatAt: new Date().toISOString(), self }
}

describe('the page Machines', () => {
  it('lists the one machine of a server with SQLite, and shows how to have more', async () => {
    const { page, axe, complaints } = await project.browser.open('')
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    await expect.poll(() => page.locator('h1').innerText()).toBe('Machines')
    const row = page.getByRole('grid', { name: 'Machines' }).getByRole('row').nth(1)
    await expect.poll(() => row.innerText()).toMatch(/:\d+\s[^]*\+[0-9a-f]{12}\s+\d+ %\s+0\s/)
    await page.getByRole('heading', { name: 'One machine, with a database of its own' }).waitFor()
    expect(await page.getByText('DATABASE_URL=postgres://').count()).toBe(1)
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })

  it.each(SIZES)('marks releases that differ and the machine that serves it: $width px', async (size) => {
    const { page, axeInBothThemes, complaints } = await project.browser.open('', { size })
    const data = [machine('web-1:7', NEW), machine('web-2:7', OLD, true), machine('web-3:7', NEW)]
    await page.route('**/observability/machines', (route) => route.fulfill({ json: { success: true, data } }))
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('link', { name: 'Machines' }).click()
    const rows = page.getByRole('grid', { name: 'Machines' }).getByRole('row')
    await expect.poll(() => rows.count()).toBe(4)
    await page.getByRole('status').getByText('The machines run 2 releases').waitFor()
    const texts = (await rows.allInnerTexts()).slice(1).map((text) => text.replaceAll(/\s+/g, ' '))
    expect(texts[0]).toMatch(/^web-1:7 0\.1\.0\+3f9a2c41d0e5 13 % 1,204 (?:now|\d+ s ago)$/)
    expect(texts[1]).toMatch(/^web-2:7 ?serves this console 0\.1\.0\+0f0f0f0f0f0f ?differs 13 %/)
    expect(texts[2]).not.toMatch(/differs|serves/)
    expect(await page.getByRole('heading', { name: 'One machine' }).count()).toBe(0)
    expect(await axeInBothThemes()).toEqual([])
    expect(complaints).toEqual([])
  })

  it('shows a machine as soon as it reports, and none that is gone', async () => {
    const { page } = await project.browser.open('')
    let data = [machine('web-1:7', NEW, true)]
    await page.route('**/observability/machines', (route) => route.fulfill({ json: { success: true, data } }))
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    const rows = page.getByRole('grid', { name: 'Machines' }).getByRole('row')
    await expect.poll(() => rows.count()).toBe(2)
    data = [machine('web-2:7', NEW, true), machine('web-3:7', NEW)]
    await expect.poll(() => rows.count()).toBe(3)
    expect(await rows.getByText('web-1:7').count()).toBe(0)
  })
})
