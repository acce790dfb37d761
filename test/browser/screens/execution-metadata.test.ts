import { afterAll, beforeAll, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { createWorkflow, defineConfig } from 'agentserver'
    const order = createWorkflow({
      id: 'order', name: 'Order',
      run: async ({ step }) => {
        step.metadata({ lines: 3 })
        return step.suspend('ask', { reason: 'Ship?' })
      },
    })
    export default defineConfig({ workflows: [order] })
  `,
})

beforeAll(() => project.start())
afterAll(() => project.end())

it('an execution shows its metadata, by which the list finds it, and the link that resumes it', async () => {
  for (const plan of ['pro', 'free']) {
    const options = { executionId: plan, metadata: { plan } }
    await project.server.post('/workflows/order/execute', { input: {}, options })
  }
  const { page, axe, complaints } = await project.browser.open('executions/pro')
  await page.getByRole('link', { name: '3', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Copy a link to decide without an account' }).waitFor()
  expect(await axe()).toEqual([])

  await page.getByRole('link', { name: 'pro', exact: true }).click()
  await page.getByRole('heading', { name: 'Runs' }).waitFor()
  const filter = page.getByRole('searchbox', { name: 'Metadata: plan=pro' })
  expect(await filter.inputValue()).toBe('plan=pro')
  const rows = page.getByRole('row').filter({ hasText: 'Order' })
  await expect.poll(() => rows.count()).toBe(1)
  await filter.fill('lines=3')
  await expect.poll(() => rows.count()).toBe(2)
  await filter.fill('lines=3 plan=free')
  await expect.poll(() => rows.count()).toBe(1)
  expect(complaints).toEqual([])
})
