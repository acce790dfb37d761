import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { createTool, createWorkflow, defineConfig } from 'agentserver'
    import { z } from 'zod'
    const parcel = createWorkflow({
      id: 'parcel', name: 'Parcel',
      inputSchema: z.object({
        express: z.boolean(), size: z.enum(['S', 'M', 'L']), weight: z.number().min(-5), email: z.email(),
        tip: z.union([z.number(), z.object({ by: z.literal('card') })]).optional(),
      }),
    }).andThen({ id: 'echo', execute: ({ data }) => data })
    const expense = createWorkflow({ id: 'expense', name: 'Expense', inputSchema: z.object({ cents: z.number() }) })
      .andThen({
        id: 'ask', resumeSchema: z.object({ approved: z.boolean(), note: z.string().optional() }),
        execute: ({ data, resumeData, suspend }) => resumeData ?? suspend('Pay the hotel?', { asked: data.cents, hotel: 'Krone' }),
      })
    const delivery = createWorkflow({ id: 'delivery', name: 'Delivery' }).andThen({
      id: 'where', resumeSchema: z.object({ street: z.string() }),
      execute: ({ resumeData, suspend }) => resumeData ?? suspend('Where to?'),
    })
    const weigh = createTool({
      name: 'weigh', description: 'Weighs a parcel', inputSchema: z.object({ id: z.string() }), execute: ({ id }) => id + ' weighs 2 kg',
    })
    export default defineConfig({ workflows: [parcel, expense, delivery], tools: [weigh] })
  `,
  'cases/expense/hotel.json': JSON.stringify({ target: { workflow: 'expense' }, input: { cents: 4200 } }),
})

beforeAll(() => project.start())
afterAll(() => project.end())

async function recordOf(id: string): Promise<{ status: string; output: unknown }> {
  const response = await fetch(new URL(`/observability/executions/${id}`, project.server.url))
  return ((await response.json()) as { data: { status: string; output: unknown } }).data
}

describe.each([
  ['light', 390],
  ['dark', 1440],
] as const)('a form, %s, %i px', (theme, width) => {
  it('decides nothing itself, checks in the browser, and sends what was typed', async () => {
    const size = { width, height: 900 }
    const { page, axe, complaints } = await project.browser.open('workflows/parcel', { theme, size })
    const express = page.getByRole('combobox', { name: /^express/ })
    await express.waitFor()
    expect(await express.innerText()).toMatch(/not set/i)
    expect(await page.getByRole('combobox', { name: /^size/ }).innerText()).toMatch(/not set/i)
    await page.getByLabel('weight').fill('heavy')
    const run = page.getByRole('button', { name: 'Run', exact: true })
    await run.click()
    await page.getByRole('alert').getByText('Not sent. Correct express, size, weight, email').waitFor()
    await page.locator('[role="combobox"][aria-invalid="true"]:focus').waitFor()
    await page.getByText('Must be a number, such as 1.5').waitFor()
    expect(await axe()).toEqual([])
    await express.click()
    await page.getByRole('option', { name: 'false' }).click()
    await page.getByRole('combobox', { name: /^size/ }).click()
    await page.getByRole('option', { name: 'M', exact: true }).click()
    const weight = page.getByLabel('weight')
    await weight.fill('')
    await weight.pressSequentially('-.125e1')
    expect(await weight.inputValue()).toBe('-.125e1')
    await page.getByLabel('email').fill('nobody')
    await page.getByText('Must look like name@example.com').waitFor()
    await page.getByLabel('email').fill('ada@example.com')
    await page.getByRole('alert').filter({ hasText: 'Not sent' }).waitFor({ state: 'detached' })
    await run.click()
    await expect
      .poll(async () => {
        const response = await fetch(new URL('/workflows/executions?workflowId=parcel', project.server.url))
        const { data } = (await response.json()) as { data: { input: unknown }[] }
        return data[0]?.input
      })
      .toEqual({ express: false, size: 'M', weight: -1.25, email: 'ada@example.com' })
    expect(complaints).toEqual([])
  })

  it('of a decision has Approve and Reject, on the page and in the inbox, with the data', async () => {
    const size = { width, height: 900 }
    const first = await project.execute('expense', { cents: 1 })
    const { page, axe, complaints } = await project.browser.open('inbox', { theme, size })
    const row = page.getByRole('listitem').filter({ hasText: 'Pay the hotel?' }).first()
    await row.getByText('Krone').waitFor()
    expect(await axe()).toEqual([])
    await row.getByRole('button', { name: 'Reject' }).click()
    await expect
      .poll(async () => (await recordOf(first)).output, { timeout: 9000 })
      .toEqual({ approved: false })
    const second = await project.execute('expense', { cents: 2 })
    await page.goto(new URL(`/console/executions/${second}`, page.url()).href)
    const panel = page.getByRole('region', { name: /Waiting for approval/ })
    await panel.getByLabel('note').fill('one night')
    expect(await axe()).toEqual([])
    await panel.getByRole('button', { name: 'Approve' }).click()
    await expect
      .poll(async () => (await recordOf(second)).output)
      .toEqual({ approved: true, note: 'one night' })
    expect(complaints).toEqual([])
  })
})

describe('a form', () => {
  it('of a workflow has the inputs of its cases', async () => {
    const { page, axe, complaints } = await project.browser.open('workflows/expense')
    await page.getByRole('button', { name: 'Inputs' }).click()
    const hotel = page.getByRole('menuitem', { name: 'Case hotel: {"cents":4200}' })
    await hotel.waitFor()
    expect(await axe()).toEqual([])
    await hotel.click()
    await expect.poll(() => page.getByLabel('cents').inputValue()).toBe('4200')
    expect(complaints).toEqual([])
  })

  it('that resumes an execution is sent with Ctrl+Enter, on its page and in the inbox', async () => {
    const [shown, listed] = [await project.execute('delivery', {}), await project.execute('delivery', {})]
    const { page } = await project.browser.open(`executions/${shown}`)
    await page.getByLabel('street').fill('Rua 1')
    await page.getByLabel('street').press('Control+Enter')
    await expect
      .poll(() => recordOf(shown))
      .toMatchObject({ status: 'completed', output: { street: 'Rua 1' } })
    await page.goto(new URL(`/console/inbox?execution=${listed}`, page.url()).href)
    await page.getByLabel('street').fill('Rua 2')
    await page.getByLabel('street').press('Control+Enter')
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    // leaving the inbox sends it
    await page.getByRole('link', { name: 'Home' }).click()
    await expect
      .poll(() => recordOf(listed))
      .toMatchObject({ status: 'completed', output: { street: 'Rua 2' } })
  })

  it('that calls a tool, sends an event or replays an execution is sent with Ctrl+Enter', async () => {
    const { page, complaints } = await project.browser.open('tools/weigh')
    await page.getByRole('textbox', { name: /^id/ }).fill('P-1')
    await page.keyboard.press('Control+Enter')
    await page.getByText('P-1 weighs 2 kg').first().waitFor()
    await page.goto(new URL('/console/events', page.url()).href)
    await page.getByLabel('Name').fill('arrived')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Event stored: nobody waits for it yet').waitFor()
    const id = await project.execute('delivery', {})
    await page.goto(new URL(`/console/executions/${id}`, page.url()).href)
    await page
      .getByRole('button', { name: /^Replay/ })
      .first()
      .click()
    await page.getByRole('dialog').getByRole('combobox').press('Control+Enter')
    await expect.poll(() => page.url()).not.toContain(id)
    expect(complaints).toEqual([])
  })
})
