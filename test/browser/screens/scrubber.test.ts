import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { createAgent, createTool, createWorkflow, defineConfig } from 'agentserver'
    import { scriptedModel } from 'agentserver/testing'
    const pause = () => new Promise((resolve) => setTimeout(resolve, 60))
    const order = createWorkflow({ id: 'order', name: 'Order' })
      .andThen({ id: 'price', name: 'Price', execute: async ({ logger }) => { await pause(); logger.info('priced'); return 1 } })
      .andThen({ id: 'charge', name: 'Charge', execute: async ({ logger }) => { await pause(); logger.info('charged'); await pause(); return 2 } })
      .andThen({ id: 'ship', name: 'Ship', execute: async () => { await pause(); return 3 } })
    const look = createTool({ name: 'look', description: 'Looks', inputSchema: { type: 'object' }, execute: async () => { await pause(); return 'three parcels' } })
    const model = scriptedModel([{ toolCalls: [{ toolName: 'look', input: {} }] }, 'There are three.'])
    const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Count.', model, tools: [look] })
    const count = createWorkflow({ id: 'count', name: 'Count' })
      .andThen({ id: 'wait', execute: async () => { await pause(); return {} } })
      .andAgent({ id: 'ask', agent: clerk, prompt: () => 'How many parcels are there?' })
      .andThen({ id: 'rest', execute: pause })
    export default defineConfig({ workflows: [order, count], agents: [clerk] })
  `,
})
let id = ''
beforeAll(async () => {
  await project.start()
  id = await project.execute('order', {})
})
afterAll(() => project.end())

const slider = (page: Page) => page.getByRole('slider', { name: 'Moment of the run' })
const view = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
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

/** Milliseconds from the start of an execution to the middle of its call of a tool. */
const offsetOfTool = async (executionId: string) => {
  const { data: record } = await project.server.get(`/observability/executions/${executionId}`)
  const { data: trace } = await project.server.get(`/observability/traces/${record.metadata.traceId}`)
  const { startTime, durationMs } = trace.spans.find(({ name }: { name: string }) => name.includes('look'))
  return Math.round(Date.parse(startTime) + durationMs / 2 - Date.parse(record.createdAt))
}

describe('the time scrubber, in both themes', () => {
  it('shows graph, events, output and logs of the moment, by keyboard and from the address', async () => {
    const { page, complaints, axeInBothThemes } = await project.browser.open(`executions/${id}?view=graph`)
    await item(page, /Ship.*completed/).waitFor()
    await view(page, 'Timeline').click()
    await toCharge(page)
    await view(page, 'Graph').click()
    await item(page, /Charge.*running/).waitFor()
    expect(await item(page, /Ship/).innerText()).not.toContain('completed')
    const moment = new URL(page.url()).searchParams.get('at')
    expect(Number(moment)).toBeGreaterThan(0)
    expect(await axeInBothThemes()).toEqual([])
    await tab(page, /^Events/).click()
    await page
      .getByRole('row', { name: /step-start.*charge/ })
      .first()
      .waitFor()
    expect(await page.getByRole('row', { name: /workflow-complete/ }).count()).toBe(0)
    await tab(page, 'Run').click()
    await page.getByRole('region', { name: 'Details of Run' }).getByText('None yet: running').waitFor()
    await tab(page, 'Logs').click()
    await page.getByRole('row', { name: /priced/ }).waitFor()
    expect(await page.getByRole('row', { name: /charged/ }).count()).toBe(0)
    await page.reload()
    await page.getByRole('group', { name: 'Moment' }).getByText('step-start charge').waitFor()
    await page.getByRole('row', { name: /priced/ }).waitFor()
    await page.getByRole('button', { name: 'Show now' }).click()
    await page.getByRole('row', { name: /charged/ }).waitFor()
    expect(new URL(page.url()).searchParams.has('at')).toBe(false)
    expect(complaints).toEqual([])
  })

  it('is dragged over the axis of the timeline', async () => {
    const { page, complaints, axeInBothThemes } = await project.browser.open(`executions/${id}`)
    const axis = page.locator('[data-bars]').first()
    await axis.waitFor()
    const box = await axis.boundingBox()
    if (!box) throw new Error('The axis is not visible')
    const y = box.y + box.height / 2
    const charge = await page
      .getByRole('treeitem', { name: /^Charge/ })
      .getByTitle(/^Charge:/)
      .boundingBox()
    if (!charge) throw new Error('The bar is not visible')
    await page.mouse.move(box.x + box.width * 0.9, y)
    await page.mouse.down()
    await page.mouse.move(charge.x + charge.width / 2, y, { steps: 5 })
    await page.mouse.up()
    await page.getByRole('button', { name: 'Show now' }).waitFor()
    expect(new URL(page.url()).searchParams.get('at')).toMatch(/^\d+$/)
    expect(await axeInBothThemes()).toEqual([])
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await axeInBothThemes()).toEqual([])
    await page.setViewportSize({ width: 1440, height: 900 })
    await view(page, 'Graph').click()
    await item(page, /Charge.*running/).waitFor()
    expect(complaints).toEqual([])
  })
})

describe('the time scrubber', () => {
  it('shows the messages of agents, and the details of a step, as they were at the moment', async () => {
    const counted = await project.execute('count', {})
    const { page, complaints, axe } = await project.browser.open(`executions/${counted}?step=ask`)
    const details = page.getByRole('region', { name: 'Details of ask' })
    await details.getByText('There are three.').last().waitFor()
    await details.getByText('three parcels').waitFor()
    await details.getByText('Output', { exact: true }).waitFor()
    expect(await axe()).toEqual([])
    // while the tool runs: between the two model calls
    await page.goto(`${page.url().split('?')[0]}?step=ask&at=${await offsetOfTool(counted)}`)
    await details.getByText('calls look').waitFor()
    expect(await details.getByText('There are three.').count()).toBe(0)
    expect(await details.getByText('three parcels').count()).toBe(0)
    await details.getByText('Input', { exact: true }).waitFor()
    expect(await details.getByText('Output', { exact: true }).count()).toBe(0)
    await page.getByRole('button', { name: 'Show now' }).click()
    await details.getByText('Output', { exact: true }).waitFor()
    expect(complaints).toEqual([])
  })
})
