import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { createWorkflow, defineConfig } from 'agentserver'
    import { z } from 'zod'
    const order = createWorkflow({
      id: 'order', name: 'Order',
      inputSchema: z.object({ fails: z.boolean() }),
      run: async ({ input, step }) => {
        await step.run('charge', () => 'c1', { compensate: () => undefined })
        const lines = ['e', 'd', 'c', 'b', 'a']
        await Promise.all(lines.map((line) =>
          step.run('book-' + line, ({ step: within }) => within.run('reserve', () => line))))
        if (input.fails) await step.run('ship', () => { throw new Error('No courier') })
        return step.suspend('ask', { reason: 'Done?' })
      },
    })
    const mixed = createWorkflow({ id: 'mixed', name: 'Mixed', inputSchema: z.object({}) }).andThen({
      id: 'send',
      execute: async ({ step }) => {
        await step.run('first', () => 1)
        return Promise.all(['second', 'third'].map((id) => step.run(id, () => id)))
      },
    })
    export default defineConfig({ workflows: [order, mixed] })
  `,
})

beforeAll(() => project.start())
afterAll(() => project.end())

/** The steps of the outline, which has the same as the graph. */
const outline = async (page: Page) => {
  const rows = await page
    .getByRole('tree', { name: /^Steps of/ })
    .getByRole('treeitem')
    .all()
  return Promise.all(rows.map((row) => row.getAttribute('data-path')))
}
const graphOf = async (workflow: string, input: object) => {
  const executionId = `${workflow}-${JSON.stringify(input).length}`
  await project.server.post(`/workflows/${workflow}/execute`, { input, options: { executionId } })
  const opened = await project.browser.open(`executions/${executionId}?view=graph`, {
    size: { width: 2400, height: 1200 },
  })
  await opened.page.locator('.react-flow__node').first().waitFor()
  return { ...opened, executionId }
}
/** The box of a step in the graph. */
const boxOf = async (page: Page, path: string) => {
  const box = await page.locator(`.react-flow__node[data-id="${path}"]`).boundingBox()
  if (!box) throw new Error(`${path} is not in the graph`)
  return box
}

const BOOKED = ['e', 'd', 'c', 'b', 'a'].flatMap((line) => [`book-${line}`, `book-${line}/reserve`])

it('the graph of a function has its calls as they ran: one below the other, or side by side', async () => {
  const { page, axe, complaints, executionId } = await graphOf('order', { fails: false })
  expect(await outline(page)).toEqual(['charge', ...BOOKED, 'ask'])
  await page.getByText('5 at the same time').waitFor()
  const kinds = await page
    .locator('.react-flow__node')
    .getByText(/^(?:step\.|and)/)
    .allTextContents()
  expect(kinds).toContain('step.run')
  expect(kinds.filter((kind) => kind.startsWith('and'))).toEqual([])
  const [charge, first, last, ask] = await Promise.all(
    ['charge', 'book-e', 'book-a', 'ask'].map((path) => boxOf(page, path)),
  )
  expect(first?.y).toBe(last?.y)
  expect(first?.x).toBeLessThan(last?.x ?? 0)
  expect(first?.y).toBeGreaterThan((charge?.y ?? 0) + (charge?.height ?? 0))
  expect(ask?.y).toBeGreaterThan((first?.y ?? 0) + (first?.height ?? 0))
  expect(await axe()).toEqual([])

  await page.getByRole('treeitem', { name: /^book-b/ }).click()
  await page.getByRole('region', { name: 'Details of book-b' }).waitFor()
  expect(new URL(page.url()).searchParams.get('step')).toBe('book-b')

  const timeline = await project.browser.open(`executions/${executionId}`)
  const rows = timeline.page.getByRole('tree', { name: 'Steps over time' }).getByRole('treeitem')
  await rows.first().waitFor()
  const names = await Promise.all((await rows.all()).map((row) => row.innerText()))
  expect(names.map((text) => text.split('\n').find((line) => /[a-z]/.test(line)))).toEqual(
    ['charge', ...BOOKED, 'ask'].map((path) => path.split('/').at(-1)),
  )
  expect([...complaints, ...timeline.complaints]).toEqual([])
})

it('the graph of a failed function ends with its compensations', async () => {
  const { page } = await graphOf('order', { fails: true })
  expect(await outline(page)).toEqual(['charge', ...BOOKED, 'ship', 'charge:compensate'])
  await page.getByRole('treeitem', { name: /^ship.*failed/s }).waitFor()
})

it('the graph of a chain has the recorded calls of its steps within them', async () => {
  const { page, complaints } = await graphOf('mixed', {})
  expect(await outline(page)).toEqual(['send', 'send/first', 'send/second', 'send/third'])
  await page.getByText('2 at the same time').waitFor()
  const [outer, first, second] = await Promise.all(
    ['send', 'send/first', 'send/second'].map((path) => boxOf(page, path)),
  )
  expect(second?.y).toBeGreaterThan(first?.y ?? 0)
  expect((second?.y ?? 0) + (second?.height ?? 0)).toBeLessThan((outer?.y ?? 0) + (outer?.height ?? 0))

  await page.locator('.react-flow__node[data-id="send/third"]').click()
  await page.getByRole('region', { name: 'Details of third' }).waitFor()
  expect(complaints).toEqual([])
})
