import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { andThen, createWorkflow, defineConfig } from 'agentserver'
    const trial = createWorkflow({ id: 'trial' }).andSleep({ id: 'two-weeks', for: '14d' })
    const invoice = createWorkflow({ id: 'invoice' })
      .andWaitForEvent({ id: 'payment', event: 'invoice.paid', key: ({ data }) => data.invoiceId })
    const sync = createWorkflow(
      { id: 'sync', concurrency: { limit: 1, key: ({ input }) => input.customer } },
      andThen({ id: 'copy', execute: ({ signal }) => new Promise((_, fail) => {
        signal.addEventListener('abort', () => fail(new Error('stopped')))
      }) }),
    )
    export default defineConfig({ workflows: [trial, invoice, sync] })
  `,
})
const ids: string[] = []
beforeAll(async () => {
  await project.start()
  await project.execute('trial', {})
  ids.push(await project.execute('invoice', { invoiceId: 'INV-1' }))
  await project.execute('invoice', { invoiceId: 'INV-2' })
  for (const number of [1, 2, 3])
    await fetch(new URL('/workflows/sync/execute', project.server.url), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Prefer: 'respond-async' },
      body: JSON.stringify({ input: { customer: 'ada', number } }),
    })
})
afterAll(() => project.end())

describe.each([
  ['light', 1440],
  ['dark', 390],
] as const)('the page Waiting, %s, %d px', (theme, width) => {
  it('lists what executions wait for, and the queues with their positions', async () => {
    const size = { width, height: 844 }
    const { page, axe, complaints } = await project.browser.open('waiting', { theme, size })
    const suspended = page.getByRole('grid', { name: 'Suspended executions' })
    const event = suspended.getByRole('row').filter({ hasText: 'INV-2' })
    await expect.poll(() => event.innerText()).toMatch(/an event[^]*invoice[^]*payment: invoice\.paid/)
    const sleep = suspended.getByRole('row').filter({ hasText: 'two-weeks' })
    expect(await sleep.first().innerText()).toMatch(/a time[^]*trial[^]*two-weeks: sleeping[^]*in 1[34] d/)
    expect(await axe()).toEqual([])
    await page.getByRole('tab', { name: 'Queues' }).click()
    const queue = page.getByRole('region', { name: 'sync' })
    await expect.poll(() => queue.innerText()).toMatch(/1 running, at most 1 at the same time[^]*2 waiting/)
    const rows = page.getByRole('grid', { name: 'Queue of sync' }).getByRole('row')
    await expect.poll(() => rows.count()).toBe(3)
    expect(await rows.nth(1).innerText()).toMatch(/1[^]*concurrency[^]*ada/)
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })
})

describe('the page Waiting', () => {
  it('wakes a sleeping execution early', async () => {
    const id = await project.execute('trial', { early: true })
    const { page } = await project.browser.open('waiting')
    const rows = page.getByRole('grid', { name: 'Suspended executions' }).getByRole('row')
    await rows.filter({ hasText: 'two-weeks' }).first().getByRole('button', { name: 'Wake now' }).click()
    await expect
      .poll(async () => (await project.server.get(`/observability/executions/${id}`)).data.status)
      .toBe('completed')
    await expect.poll(() => rows.filter({ hasText: 'two-weeks' }).count()).toBe(1)
  })

  it('leads to the form of the event, which continues the execution and shows who took it', async () => {
    const { page, axe, complaints } = await project.browser.open('waiting')
    const row = page.getByRole('grid', { name: 'Suspended executions' }).getByRole('row')
    await row.filter({ hasText: 'INV-1' }).getByRole('button', { name: 'Send event' }).click()
    const form = page.getByRole('region', { name: 'Send an event' })
    expect(await form.getByLabel('Name').inputValue()).toBe('invoice.paid')
    expect(await form.getByLabel('Key').inputValue()).toBe('INV-1')
    await form.getByRole('button', { name: 'Send' }).click()
    await page.getByText('1 execution goes on').first().waitFor()
    const event = page.getByRole('grid', { name: 'Events' }).getByRole('row').filter({ hasText: 'INV-1' })
    await expect.poll(() => event.innerText()).toContain(ids[0] ?? 'an execution')
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })

  it('shows an event that nobody waits for', async () => {
    const { page } = await project.browser.open('events?name=customer.created')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('nobody waits for it yet').first().waitFor()
    const event = page
      .getByRole('grid', { name: 'Events' })
      .getByRole('row')
      .filter({ hasText: 'customer.created' })
    await expect.poll(() => event.innerText()).toContain('nobody yet')
  })
})
