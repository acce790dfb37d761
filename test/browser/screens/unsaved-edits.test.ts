import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { createAgent, createTool, createWorkflow, defineConfig } from 'agentserver'
    import { scriptedModel } from 'agentserver/testing'
    import { z } from 'zod'
    const refund = createTool({ name: 'refund', description: 'Refunds', needsApproval: true,
      inputSchema: z.object({ cents: z.number() }), execute: ({ cents }) => cents })
    const model = scriptedModel([{ text: 'One moment.', toolCalls: [{ toolName: 'refund', input: { cents: 9000 } }] }])
    const order = createWorkflow({ id: 'order', name: 'Order', inputSchema: z.object({ note: z.string() }) })
      .andThen({
        id: 'ask', resumeSchema: z.object({ note: z.string() }),
        execute: ({ resumeData, suspend }) => resumeData ?? suspend('Which note?'),
      })
    export default defineConfig({
      agents: [createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Help.', tools: [refund], model })],
      tools: [refund],
      workflows: [order],
    })
  `,
})
let waiting: string

beforeAll(async () => {
  await project.start()
  waiting = await project.execute('order', { note: 'a' })
})
afterAll(() => project.end())

const question = (page: Page) => page.getByRole('alertdialog', { name: 'Discard changes?' })
const answer = (page: Page, name: string) => question(page).getByRole('button', { name }).click()
const link = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name }).first()

const FORMS = [
  ['resume', () => `executions/${waiting}`, (page: Page) => page.getByRole('textbox', { name: /^note/ })],
  ['run tool', () => 'tools/refund', (page: Page) => page.getByLabel('cents')],
  ['send event', () => 'events', (page: Page) => page.getByRole('textbox', { name: 'Data' })],
] as const

describe.each(FORMS)('an edited form to %s', (_, address, field) => {
  it('asks before the page is left by a link, Back or Forward, and not when nothing was entered', async () => {
    const { page, axe, complaints } = await project.browser.open(address())
    await field(page).waitFor()
    await link(page, 'Evals').click()
    await expect.poll(() => page.locator('h1').innerText()).toBe('Evals')
    await page.goBack()
    await field(page).fill('12')
    const shown = page.url()
    await link(page, 'Tools').click()
    await question(page).waitFor()
    expect(await axe()).toEqual([])
    await answer(page, 'Keep editing')
    await question(page).waitFor({ state: 'detached' })
    expect(await page.locator('h1').innerText()).not.toBe('Tools')
    await page.evaluate('history.forward()')
    await answer(page, 'Keep editing')
    expect(page.url()).toBe(shown)
    await page.evaluate('history.back()')
    await answer(page, 'Discard')
    await expect.poll(() => page.locator('h1').innerText()).toBe('Evals')
    expect(page.url()).toMatch(/\/console\/evals$/)
    expect(await question(page).count()).toBe(0)
    expect(complaints).toEqual([])
  })
})

it('a form that was sent does not ask', async () => {
  const { page } = await project.browser.open('events')
  await page.getByLabel('Name', { exact: true }).fill('paid')
  await page.getByRole('textbox', { name: 'Data' }).fill('{"a":1}')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('Event stored').waitFor()
  await link(page, 'Evals').click()
  await expect.poll(() => page.locator('h1').innerText()).toBe('Evals')
})

it('Reset of the run form asks when something was entered', async () => {
  const { page } = await project.browser.open('workflows/order')
  const reset = page.getByRole('button', { name: 'Reset' })
  await reset.click()
  expect(await question(page).count()).toBe(0)
  await page.getByLabel('note').fill('changed')
  await reset.click()
  await answer(page, 'Keep editing')
  expect(await page.getByLabel('note').inputValue()).toBe('changed')
  await reset.click()
  await answer(page, 'Discard')
  await expect.poll(() => page.getByLabel('note').inputValue()).toBe('')
  await question(page).waitFor({ state: 'detached' })
})

it('Cancel of an approval asks when its arguments were edited', async () => {
  await project.server.post('/agents/clerk/text', { input: 'Please' })
  const { page } = await project.browser.open('inbox')
  const panel = page.getByRole('group', { name: 'Approval of refund' })
  await panel.getByRole('button', { name: 'Edit' }).click()
  await panel.getByLabel('cents').fill('5')
  const close = panel.getByRole('button', { name: 'Cancel', exact: true })
  await close.click()
  await answer(page, 'Keep editing')
  expect(await panel.getByLabel('cents').inputValue()).toBe('5')
  await close.click()
  await answer(page, 'Discard')
  await panel.getByRole('button', { name: 'Edit' }).waitFor()
})
