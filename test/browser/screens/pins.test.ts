import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { until } from '../../support/until.ts'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const shop = (body: string) => ({
  'agentserver.config.ts': `
    import { createWorkflow, defineConfig } from 'agentserver'
    const order = createWorkflow({ id: 'order', name: 'Order' })
      .andThen({ id: 'price', execute: () => ({ total: 40 }) })
      .andThen({ id: 'charge', execute: ({ data }) => { ${body} } })
    export default defineConfig({ workflows: [order] })
  `,
})
const FAILING = `throw new Error('card declined')`
const project = new ConsoleProject(shop(FAILING))
beforeAll(() => project.start())
afterAll(() => project.end())

const panel = (page: Page) => page.getByRole('region', { name: 'Pinned', exact: true })

/** Saves the failing workflow, and returns the id of an execution that has failed. */
async function failed(): Promise<string> {
  project.write(shop(FAILING))
  let id = ''
  await until(async () => {
    id = await project.execute('order', {})
    const response = await fetch(new URL(`/observability/executions/${id}`, project.server.url))
    const { data } = (await response.json()) as { data: { error?: { message: string } } }
    return data.error?.message === 'card declined'
  }, 'the failing workflow')
  return id
}

describe('a pinned execution, in both themes', () => {
  it('turns red and green in place on every save, in all tabs, with what changed in its output', async () => {
    const id = await failed()
    const { page, complaints, axeInBothThemes } = await project.browser.open(`executions/${id}`)
    const other = await project.browser.open('executions')
    await page.getByRole('button', { name: 'Pin', exact: true }).click()
    await panel(page).getByText('waiting for a save').waitFor()
    const bar = other.page.getByRole('region', { name: 'Pinned runs' })
    await bar.getByText('idle').waitFor()
    project.write(shop(`throw new Error('declined again')`))
    await panel(page).getByText(`Error: declined again`).first().waitFor()
    await bar.getByText('failed').waitFor()
    expect(await axeInBothThemes()).toEqual([])
    expect(await other.axeInBothThemes()).toEqual([])
    project.write(shop(`return { charged: data.total }`))
    await panel(page).getByText('last replay completed', { exact: true }).waitFor()
    // the status of the recorded run is named as that, and its error is collapsed
    expect(await page.locator('main header').innerText()).toContain('first run failed')
    expect(await page.getByRole('heading', { name: 'Error: card declined' }).isVisible()).toBe(false)
    await page.getByText('Error of the first run').waitFor()
    await panel(page).getByRole('tree', { name: 'Output of charge' }).waitFor()
    project.write(shop(`return { charged: data.total + 1 }`))
    const changes = panel(page).getByRole('list', { name: 'Changes in the output of charge' })
    await expect.poll(async () => (await changes.innerText()).split(/\s+/).join(' ')).toMatch(/- 40 \+ 41/)
    expect(await axeInBothThemes()).toEqual([])
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await axeInBothThemes()).toEqual([])
    await page.setViewportSize({ width: 1440, height: 900 })
    await other.page.getByText('pinned replay').first().waitFor()
    await page.getByRole('button', { name: 'Unpin' }).click()
    await panel(page).waitFor({ state: 'detached' })
    await bar.waitFor({ state: 'detached' })
    expect([...complaints, ...other.complaints]).toEqual([])
  })
})

it('the failures of pinned replays are not in the inbox', async () => {
  const id = await failed()
  const { page } = await project.browser.open(`executions/${id}`)
  await page.getByRole('button', { name: 'Pin', exact: true }).click()
  project.write(shop(`throw new Error('only the replay fails so')`))
  await panel(page).getByText('Error: only the replay fails so').first().waitFor()
  await page.goto(page.url().replace(/executions\/.*/, 'inbox?tab=failed'))
  await page.getByText('card declined').first().waitFor()
  const failures = page.getByRole('list', { name: 'Failures' })
  expect(await failures.innerText()).not.toContain('only the replay fails so')
})
