import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

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
    const nap = createWorkflow({ id: 'nap' })
      .andSleep({ id: 'first', for: '14d' })
      .andSleep({ id: 'second', for: '14d' })
    export default defineConfig({ workflows: [trial, invoice, sync, nap] })
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
] as const)('the waits of the inbox, %s, %d px', (theme, width) => {
  it('lists what executions wait for, and the queues with their positions', async () => {
    const size = { width, height: 844 }
    const { page, axe, complaints } = await project.browser.open('inbox?tab=sleeping', { theme, size })
    const suspended = page.getByRole('grid', { name: 'Sleeping runs' })
    const event = suspended.getByRole('row').filter({ hasText: 'INV-2' })
    await expect.poll(() => event.innerText()).toMatch(/an event[^]*invoice[^]*payment: invoice\.paid/)
    const sleep = suspended.getByRole('row').filter({ hasText: 'two-weeks' })
    expect(await sleep.first().innerText()).toMatch(/a time[^]*trial[^]*two-weeks: sleeping[^]*in 1[34] d/)
    expect(await axe()).toEqual([])
    await page.getByRole('tab', { name: 'Queued' }).click()
    const queue = page.getByRole('region', { name: 'sync' })
    await expect.poll(() => queue.innerText()).toMatch(/1 running, at most 1 at the same time[^]*2 waiting/)
    const rows = page.getByRole('grid', { name: 'Queue of sync' }).getByRole('row')
    await expect.poll(() => rows.count()).toBe(3)
    expect(await rows.nth(1).innerText()).toMatch(/1[^]*concurrency[^]*ada/)
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })
})

describe('the waits of the inbox', () => {
  it('wakes a sleeping execution early', async () => {
    const id = await project.execute('trial', { early: true })
    const { page } = await project.browser.open('inbox?tab=sleeping')
    const rows = page.getByRole('grid', { name: 'Sleeping runs' }).getByRole('row')
    await rows.filter({ hasText: 'two-weeks' }).first().getByRole('button', { name: 'Wake now' }).click()
    await expect
      .poll(async () => (await project.server.get(`/observability/executions/${id}`)).data.status)
      .toBe('completed')
    await page.mouse.move(2, 2)
    await expect.poll(() => rows.filter({ hasText: 'two-weeks' }).count()).toBe(1)
  })

  it('leads to the form of the event, which continues the execution and shows who took it', async () => {
    const { page, axe, complaints } = await project.browser.open('inbox?tab=sleeping')
    const row = page.getByRole('grid', { name: 'Sleeping runs' }).getByRole('row')
    await row.filter({ hasText: 'INV-1' }).getByRole('button', { name: 'Send event' }).click()
    const form = page.getByRole('region', { name: 'Send an event' })
    expect(await form.getByLabel('Name').inputValue()).toBe('invoice.paid')
    expect(await form.getByLabel('Key').inputValue()).toBe('INV-1')
    await form.getByRole('button', { name: 'Send' }).click()
    await page.getByText('1 run resumed').first().waitFor()
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

describe('the list of sleeping executions, in both themes', () => {
  it('keeps a row whose wait ended in place: further clicks at the same point wake nothing else', async () => {
    const cancelled = await project.execute('nap', {})
    const others = [await project.execute('nap', {}), await project.execute('nap', {})]
    onTestFinished(async () => {
      for (const id of [cancelled, ...others]) await cancel(id)
    })
    const { page, axeInBothThemes, complaints } = await project.browser.open('inbox?tab=sleeping')
    const rows = page.getByRole('grid', { name: 'Sleeping runs' }).getByRole('row')
    const naps = rows.filter({ hasText: 'nap' })
    await expect.poll(() => naps.count()).toBe(3)
    const before = await places(page)
    const point = await centreOfButton(page, 1)
    await page.mouse.click(point.x, point.y, { clickCount: 2, delay: 20 })
    await page.getByText('Resumed').waitFor()
    for (const _ of [1, 2]) await page.mouse.click(point.x, point.y)
    // another person ends another wait
    await cancel(cancelled)
    await rows.getByText('cancelled').waitFor()
    // it waits again, and that wait is the last row
    await rows.last().filter({ hasText: 'second: sleeping' }).waitFor()
    await page.mouse.click(point.x, point.y)
    expect((await places(page)).slice(0, before.length)).toEqual(before)
    const waits = await Promise.all(others.map((id) => waitOf(id)))
    expect(waits.toSorted()).toEqual(['first', 'second'])
    expect(await axeInBothThemes()).toEqual([])
    await page.mouse.move(2, 2)
    await page.getByText('Resumed').waitFor({ state: 'detached' })
    await expect.poll(() => naps.count()).toBe(2)
    expect(complaints).toEqual([])
  })
})

async function cancel(id: string): Promise<void> {
  await project.server.post(`/workflows/nap/executions/${id}/cancel`, {})
}

/** The step at which an execution is suspended. */
async function waitOf(id: string): Promise<string> {
  const { data } = await project.server.get(`/observability/executions/${id}`)
  return data.suspension?.stepId ?? data.status
}

/** The addresses of the executions that the rows show, in order. */
async function places(page: Page): Promise<(string | null)[]> {
  const links = await page.getByRole('grid', { name: 'Sleeping runs' }).getByRole('link').all()
  return Promise.all(links.map((link) => link.getAttribute('href')))
}

async function centreOfButton(page: Page, row: number): Promise<{ x: number; y: number }> {
  const rows = page.getByRole('grid', { name: 'Sleeping runs' }).getByRole('row')
  const box = await rows.nth(row).getByRole('button', { name: 'Wake now' }).boundingBox()
  if (!box) throw new Error(`Row ${row} has no button`)
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}
