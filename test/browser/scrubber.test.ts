import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { ConsoleProject } from '../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { createWorkflow, defineConfig } from 'agentserver'
    const pause = () => new Promise((resolve) => setTimeout(resolve, 60))
    const order = createWorkflow({ id: 'order', name: 'Order' })
      .andThen({ id: 'price', name: 'Price', execute: async ({ logger }) => { await pause(); logger.info('priced'); return 1 } })
      .andThen({ id: 'charge', name: 'Charge', execute: async ({ logger }) => { await pause(); logger.info('charged'); await pause(); return 2 } })
      .andThen({ id: 'ship', name: 'Ship', execute: async () => { await pause(); return 3 } })
    export default defineConfig({ workflows: [order] })
  `,
})
let id = ''
beforeAll(async () => {
  await project.start()
  id = await project.execute('order', {})
})
afterAll(() => project.end())

const slider = (page: Page) => page.getByRole('slider', { name: 'Moment of the execution' })
const tab = (page: Page, name: RegExp | string) => page.getByRole('tab', { name })
const item = (page: Page, name: RegExp) =>
  page.getByRole('tree', { name: 'Steps of Order' }).getByRole('treeitem', { name })
/** Goes back, event by event, to the start of the step `charge`. */
const toCharge = async (page: Page) => {
  await slider(page).focus()
  await page.keyboard.press('Home')
  await expect.poll(() => slider(page).getAttribute('aria-valuetext')).toContain('after 0')
  for (let presses = 0; presses < 20; presses++) {
    const before = await slider(page).getAttribute('aria-valuetext')
    if (before?.includes('step-start charge')) return
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => slider(page).getAttribute('aria-valuetext')).not.toBe(before)
  }
}

describe.each(['light', 'dark'] as const)('the time scrubber, %s', (theme) => {
  it('shows graph, events, state, output and logs of the moment, by keyboard and from the address', async () => {
    const { page, complaints, axe } = await project.browser.open(`executions/${id}?tab=graph`, { theme })
    await item(page, /Ship.*completed/).waitFor()
    await toCharge(page)
    await item(page, /Charge.*running/).waitFor()
    expect(await item(page, /Ship/).innerText()).not.toContain('completed')
    const moment = new URL(page.url()).searchParams.get('at')
    expect(Number(moment)).toBeGreaterThan(0)
    expect(await axe()).toEqual([])
    await tab(page, /^Events/).click()
    await page
      .getByRole('row', { name: /step-start.*charge/ })
      .first()
      .waitFor()
    expect(await page.getByRole('row', { name: /workflow-complete/ }).count()).toBe(0)
    await tab(page, 'State').click()
    await expect.poll(() => page.getByRole('tree', { name: 'State' }).innerText()).toContain('running')
    await tab(page, 'Input and output').click()
    expect(await page.getByRole('tree', { name: 'Output', exact: true }).count()).toBe(0)
    await tab(page, 'Logs').click()
    await page.getByRole('row', { name: /priced/ }).waitFor()
    expect(await page.getByRole('row', { name: /charged/ }).count()).toBe(0)
    await page.reload()
    await expect.poll(() => slider(page).getAttribute('aria-valuetext')).toContain('step-start charge')
    await page.getByRole('row', { name: /priced/ }).waitFor()
    await page.getByRole('button', { name: 'Show now' }).click()
    await page.getByRole('row', { name: /charged/ }).waitFor()
    expect(new URL(page.url()).searchParams.has('at')).toBe(false)
    expect(complaints).toEqual([])
  })

  it('is dragged over the axis of the timeline', async () => {
    const { page, complaints, axe } = await project.browser.open(`executions/${id}`, { theme })
    const axis = page.locator('[data-bars]').first()
    await axis.waitFor()
    const box = await axis.boundingBox()
    if (!box) throw new Error('The axis is not visible')
    const y = box.y + box.height / 2
    await page.mouse.move(box.x + box.width * 0.9, y)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.5, y, { steps: 5 })
    await page.mouse.up()
    await page.getByRole('button', { name: 'Show now' }).waitFor()
    expect(new URL(page.url()).searchParams.get('at')).toMatch(/^\d+$/)
    expect(await axe()).toEqual([])
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await axe()).toEqual([])
    await page.setViewportSize({ width: 1440, height: 900 })
    await tab(page, 'Graph').click()
    await item(page, /Charge.*running/).waitFor()
    expect(complaints).toEqual([])
  })
})
