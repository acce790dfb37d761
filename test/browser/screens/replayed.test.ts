import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { createWorkflow, defineConfig } from 'agentserver'
    let count = 0
    const order = createWorkflow({ id: 'order', name: 'Order' })
      .andThen({ id: 'price', execute: () => ({ total: 40 }) })
      .andThen({ id: 'check', execute: ({ data }) => data })
      .andThen({ id: 'charge', execute: ({ data }) => ({ ...data, charge: 'number ' + ++count }) })
      .andThen({ id: 'ship', execute: ({ data }) => data })
    const noisy = createWorkflow({ id: 'noisy', name: 'Noisy' }).andThen({ id: 'tick', execute: async ({ emit }) => {
      for (let index = 0; index < 10_050; index++) await emit('tick', { index })
      return {}
    } })
    export default defineConfig({ workflows: [order, noisy] })
  `,
})
let first = ''
let replay = ''
beforeAll(async () => {
  await project.start()
  first = await project.execute('order', {})
  const { data } = await project.server.post(`/workflows/order/executions/${first}/replay`, {
    stepId: 'charge',
  })
  replay = (data as { executionId: string }).executionId
})
afterAll(() => project.end())

describe('a replay, in both themes', () => {
  it('lists its steps in the order of the definition, and marks the copied ones', async () => {
    const { page, axeInBothThemes, complaints } = await project.browser.open(`executions/${replay}`)
    const rows = page.getByRole('tree', { name: 'Steps over time' }).getByRole('treeitem')
    await expect.poll(() => rows.count()).toBe(4)
    const texts = (await rows.allInnerTexts()).map((text) => text.split(/\s+/).join(' '))
    expect(texts.map((text) => text.split(',')[0]?.trim())).toEqual(['price', 'check', 'charge', 'ship'])
    expect(texts.map((text) => text.includes('copied'))).toEqual([true, true, false, false])
    expect(await axeInBothThemes()).toEqual([])
    expect(complaints).toEqual([])
  })

  it('is compared from the older to the newer execution, on both pages', async () => {
    for (const [id, other] of [
      [first, replay],
      [replay, first],
    ]) {
      const { page } = await project.browser.open(`executions/${id}?view=compare&with=${other}`)
      const changes = page.getByRole('list', { name: 'Output differences' })
      await expect
        .poll(async () => (await changes.innerText()).split(/\s+/).join(' '))
        .toMatch(/- \D*1\D*\+ \D*2/)
      await page.getByText(id === replay ? '- other, + this' : '- this, + other').waitFor()
    }
  })
})

describe('an execution with more events than a record has', () => {
  let id = ''
  beforeAll(async () => {
    id = await project.execute('noisy', {})
  })

  it.each(['run', 'events', 'logs'])('says on the tab %s that the page has the first 10,000', async (tab) => {
    const { page, axe } = await project.browser.open(`executions/${id}?tab=${tab}`)
    await page.getByText('This page has the first 10,000 events.').waitFor()
    await page.getByRole('button', { name: 'Copy curl command of all events' }).waitFor()
    expect(await axe()).toEqual([])
  })
})
