import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { andThen, createWorkflow, defineConfig } from 'agentserver'
    const order = createWorkflow({ id: 'order', name: 'Order' })
      .andThen({ id: 'price', name: 'Price', execute: async () => ({ total: 40 }) })
      .andWhen({ id: 'large', name: 'Large', condition: ({ data }) => data.total > 10, step:
        andThen({ id: 'charge', name: 'Charge', execute: async ({ data }) => ({ charged: data.total }) }) })
      .andThen({ id: 'ship', name: 'Ship', execute: async ({ data }) => ({ ...data, shipped: true }) })
    export default defineConfig({ workflows: [order] })
  `,
})
beforeAll(() => project.start())
afterAll(() => project.end())

const itemOf = (page: Page, name: RegExp) =>
  page.getByRole('tree', { name: 'Steps of Order' }).getByRole('treeitem', { name })
const pausedAt = (page: Page, step: string) => page.getByRole('region', { name: `Paused before ${step}` })
const editor = (page: Page) => page.getByRole('textbox', { name: 'Data of the step' })

describe('stepping through an execution, in both themes', () => {
  it('stops at a breakpoint of the graph, goes on step by step, and has no accessibility or CSP violations', async () => {
    const { page, complaints, axeInBothThemes } = await project.browser.open('workflows/order')
    await itemOf(page, /Charge/).focus()
    await page.keyboard.press('b')
    await itemOf(page, /Charge.*breakpoint/).waitFor()
    expect(new URL(page.url()).searchParams.get('pauseAt')).toBe('charge')
    await page.locator('.react-flow__node', { hasText: 'Ship' }).locator('[data-breakpoint]').click()
    await page.getByText('2 breakpoints').waitFor()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await pausedAt(page, 'charge').waitFor()
    await expect.poll(() => page.locator('main header').innerText()).toMatch(/Order[^]*suspended/)
    expect(await page.locator('main header').innerText()).not.toContain('idle')
    await expect.poll(() => editor(page).innerText()).toContain('"total": 40')
    await itemOf(page, /Charge.*suspended/).waitFor()
    expect(await axeInBothThemes()).toEqual([])
    await editor(page).press('ControlOrMeta+a')
    await editor(page).pressSequentially('{"total": 2}')
    await page.getByRole('button', { name: 'Run to the next step' }).click()
    await pausedAt(page, 'ship').waitFor()
    await expect.poll(() => editor(page).innerText()).toContain('"charged": 2')
    await page.getByRole('button', { name: 'Run to the next breakpoint' }).click()
    await page.getByRole('tree', { name: 'Result' }).waitFor()
    await itemOf(page, /Ship.*completed/).waitFor()
    expect(complaints).toEqual([])
  })

  it('sets breakpoints on the page of an execution while it waits', async () => {
    const { page, complaints, axeInBothThemes } = await project.browser.open('workflows/order')
    await page.getByRole('checkbox', { name: 'Pause before every step' }).check()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await pausedAt(page, 'price').waitFor()
    await page.getByRole('link', { name: 'Run', exact: true }).click()
    // the page of the workflow has a graph, too
    await page.getByRole('tab', { name: 'Events' }).waitFor()
    await page.getByRole('button', { name: 'Graph' }).click()
    await pausedAt(page, 'price').waitFor()
    await itemOf(page, /Ship/).focus()
    await page.keyboard.press('b')
    await itemOf(page, /Ship.*breakpoint/).waitFor()
    expect(await axeInBothThemes()).toEqual([])
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await axeInBothThemes()).toEqual([])
    await page.getByRole('button', { name: 'Run to the next breakpoint' }).click()
    await pausedAt(page, 'ship').waitFor()
    await itemOf(page, /Ship/).focus()
    await page.keyboard.press('b')
    await page.getByRole('button', { name: 'Run to the end' }).click()
    await itemOf(page, /Ship.*completed/).waitFor()
    expect(complaints).toEqual([])
  })
})

it('data that is not JSON is not sent', async () => {
  const { page } = await project.browser.open('workflows/order?pauseAt=ship')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await pausedAt(page, 'ship').waitFor()
  await editor(page).press('ControlOrMeta+a')
  await editor(page).pressSequentially('{"total":')
  await page.getByText(/Invalid JSON/).waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Run to the next step' }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Restore data' }).click()
  await page
    .getByRole('button', { name: 'Run to the end' })
    .or(page.getByRole('button', { name: 'Run to the next breakpoint' }))
    .click()
  await page.getByRole('tree', { name: 'Result' }).waitFor()
})
