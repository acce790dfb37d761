import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const config = (charge: string) => ({
  'agentserver.config.ts': `
    import { createWorkflow, defineConfig } from 'agentserver'
    import { z } from 'zod'
    const review = createWorkflow({
      id: 'review', name: 'Review',
      run: async ({ step }) => Promise.all([
        step.suspend('legal', { reason: 'Terms?', resumeSchema: z.object({ approved: z.boolean() }) }),
        step.suspend('finance', { reason: 'Budget?', resumeSchema: z.object({ approved: z.boolean() }) }),
      ]),
    })
    const order = createWorkflow({
      id: 'order', name: 'Order',
      run: async ({ step }) => {
        await step.run('${charge}', () => 'c1')
        return step.suspend('ask', { reason: 'Ship?' })
      },
    })
    export default defineConfig({ workflows: [review, order] })
  `,
})
const project = new ConsoleProject(config('charge'))

beforeAll(() => project.start())
afterAll(() => project.end())

async function started(workflow: string): Promise<string> {
  const { data } = await project.server.post(`/workflows/${workflow}/execute`, { input: {} })
  return (data as { executionId: string }).executionId
}

/** Saves the project with another id of the call, and waits until it is served. */
async function save(charge: string): Promise<void> {
  const generation = async () =>
    (await project.server.get('/observability/status')).data.generation.number as number
  const before = await generation()
  project.write(config(charge))
  await expect.poll(generation).toBeGreaterThan(before)
}

const recordOf = async (id: string) =>
  (await project.server.get(`/observability/executions/${id}`)).data as { status: string; output: unknown }

describe('an execution of a function', () => {
  it('shows all that waits, and answers what is chosen', async () => {
    const id = await started('review')
    const { page, axe, complaints } = await project.browser.open(`executions/${id}`)
    await page.getByText('2 steps wait').waitFor()
    await page.getByRole('radio', { name: /finance/ }).check()
    await page.getByRole('heading', { name: /Budget\?/ }).waitFor()
    expect(await axe()).toEqual([])
    await page.getByRole('button', { name: 'Reject' }).click()
    await page.getByRole('heading', { name: /Terms\?/ }).waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    await expect
      .poll(() => recordOf(id))
      .toMatchObject({
        status: 'completed',
        output: [{ approved: true }, { approved: false }],
      })
    expect(complaints).toEqual([])
  })

  it('runs on with the code as it is when the changes are accepted', async () => {
    const id = await started('order')
    const { page, axe, complaints } = await project.browser.open(`executions/${id}`)
    await page.getByRole('heading', { name: /Ship\?/ }).waitFor()
    await save('bill')
    await page.getByRole('button', { name: 'Resume', exact: true }).click()
    await page.getByRole('heading', { name: 'Does not fit the changed code' }).waitFor()
    await page.getByRole('button', { name: 'Accept changes' }).click()
    expect(await axe()).toEqual([])
    await page.getByRole('dialog').getByRole('button', { name: 'Accept changes' }).click()
    await expect.poll(() => recordOf(id)).toMatchObject({ status: 'completed' })
    await page.getByText('Changes accepted by').waitFor()
    await save('charge')
    expect(complaints.filter((text) => !text.includes('409'))).toEqual([])
  })

  it('shows where its record does not fit the code, and goes on when it does', async () => {
    const id = await started('order')
    const { page, axe, complaints } = await project.browser.open(`executions/${id}`)
    await page.getByRole('heading', { name: /Ship\?/ }).waitFor()
    await save('pay')
    await page.getByRole('button', { name: 'Resume', exact: true }).click()
    await page.getByRole('heading', { name: 'Does not fit the changed code' }).waitFor()
    await page
      .locator('[data-resume]')
      .getByText('the function calls "pay" without having called it')
      .waitFor()
    // the refused resume has a notification, when its response came after the new state of the execution
    const close = page.getByLabel('Notifications').getByLabel('Close')
    const findings = async () => {
      if (await close.isVisible()) await close.click()
      return axe()
    }
    await expect.poll(findings).toEqual([])
    await save('charge')
    await expect.poll(() => recordOf(id)).toMatchObject({ status: 'completed' })
    expect(complaints.filter((text) => !text.includes('409'))).toEqual([])
  })
})
