import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { andAll, andForEach, andThen, createWorkflow, defineConfig } from 'agentserver'
    const send = andThen({ id: 'send', execute: ({ data }) => {
      if (data % 37 === 36) throw new Error('no such address')
      return data
    } })
    const mail = createWorkflow({ id: 'mail', name: 'Mail' })
      .andThen({ id: 'prepare', execute: () => Array.from({ length: 1100 }, (_, n) => n) })
      .andForEach({ id: 'letters', step: send, concurrency: 8, onError: 'continue' })
      .andThen({ id: 'report', execute: ({ data }) => data.length })
    const step = (id) => andThen({ id, execute: () => id })
    const sorted = createWorkflow({ id: 'sorted', name: 'Sorted' })
      .andThen({ id: 'first', execute: () => 1 })
      .andAll({ id: 'both', steps: [step('left'), step('middle'), step('right')] })
      .andThen({ id: 'last', execute: () => 2 })
    export default defineConfig({ workflows: [mail, sorted] })
  `,
})

beforeAll(() => project.start())
afterAll(() => project.end())

describe('an item loop of which items failed', () => {
  it('is not shown as completed in the graph, the outline and the timeline', async () => {
    const id = await project.execute('mail', {})
    const { data } = await project.server.get(`/observability/executions/${id}`)
    const loop = data.steps.find(({ stepId }: { stepId: string }) => stepId === 'letters')
    expect(loop).toMatchObject({ status: 'completed', progress: { done: 1100, failed: 29, total: 1100 } })

    const { page, axe, complaints } = await project.browser.open(`executions/${id}?view=graph`)
    const nodes = page.locator('.react-flow__node')
    await expect.poll(() => nodes.filter({ hasText: '29 failed' }).count()).toBe(1)
    expect(await nodes.filter({ hasText: '29 of 1,100 failed' }).count()).toBe(1)
    for (const node of await nodes.filter({ hasText: /29 .*failed/ }).all()) {
      expect(await node.locator('.border-ok, .text-ok').count()).toBe(0)
      expect(await node.locator('.border-suspended').count()).toBe(1)
    }
    expect(await nodes.locator('.border-ok').count()).toBe(2)
    expect(await axe()).toEqual([])
    await page.goto(page.url().replace('view=graph', ''))
    await page
      .getByRole('treeitem', { name: /letters/ })
      .first()
      .waitFor()
    await page.getByText('29 failed').first().waitFor()
    expect(complaints).toEqual([])
  })
})

describe('the timeline of a replay', () => {
  it('has the steps in the order of their declaration, copied ones included', async () => {
    const original = await project.execute('sorted', {})
    const { data } = await project.server.post(`/workflows/sorted/executions/${original}/replay`, {
      stepId: 'middle',
    })
    const { page } = await project.browser.open(`executions/${data.executionId}`)
    const rows = page.getByRole('treeitem', { name: /and(?:Then|All)/ })
    await rows.filter({ hasText: 'last' }).first().waitFor()
    const names = (await rows.allInnerTexts()).map(
      (text) => /first|both|left|middle|right|last/.exec(text)?.[0],
    )
    expect(names).toEqual(['first', 'both', 'left', 'middle', 'right', 'last'])
  })
})
