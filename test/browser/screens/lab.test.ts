import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { createAgent, createTool, defineConfig } from 'agentserver'
    import { scriptedModel } from 'agentserver/testing'
    import { z } from 'zod'
    const lookup = createTool({
      name: 'lookup', description: 'Looks up an order', inputSchema: z.object({ orderId: z.string() }),
      execute: ({ orderId }) => ({ orderId, at: 'Bern' }),
    })
    const model = scriptedModel([({ prompt, tools }) => {
      const [system] = prompt
      const last = prompt.at(-1)
      if (last.role === 'tool') return 'Told: ' + system.content + ' **' + JSON.stringify(last.content[0].output) + '**'
      return tools?.length ? { toolCalls: [{ toolName: 'lookup', input: { orderId: 'A-1' } }] } : 'Plain: ' + system.content
    }], { repeatLast: true })
    const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Be kind.', model, tools: [lookup], examples: ['Is it blue?'] })
    const asking = scriptedModel([({ prompt, tools }) => {
      const last = prompt.at(-1)
      if (last.role === 'tool') return 'Heard ' + JSON.stringify(last.content[0].output.value)
      return tools?.length ? { toolCalls: [{ toolName: 'ask_helper', input: { prompt: 'How?' } }] } : 'Nobody was asked'
    }], { repeatLast: true, modelId: 'asking' })
    const helper = createAgent({ id: 'helper', name: 'Helper', instructions: 'Help.', model: scriptedModel(['from the helper'], { repeatLast: true }) })
    const boss = createAgent({ id: 'boss', name: 'Boss', instructions: 'Delegate.', model: asking, subAgents: [helper] })
    export default defineConfig({ agents: [clerk, boss, helper], prices: { 'openai/gpt-5-mini': { input: 1, output: 2 } } })
  `,
  'cases/clerk/colour.json': JSON.stringify({ target: { agent: 'clerk' }, input: 'What colour is A-1?' }),
})

beforeAll(() => project.start())
afterAll(() => project.end())

const column = (page: Page, place: number) => page.getByRole('region', { name: `Column ${place}` })
const answer = (page: Page, place: number) => page.getByRole('article', { name: `Answer of column ${place}` })

/** Asks in the chat, and opens the lab from the answer. */
async function openFromChat(page: Page): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill('Where is my order?')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Prompt lab' }).click()
  await column(page, 2).waitFor()
}

describe('the prompt lab', () => {
  it('opens from an answer, asks two columns side by side, and shows tokens, time and recorded results', async () => {
    const { page, complaints, axe } = await project.browser.open('agents/clerk', { theme: 'dark' })
    await openFromChat(page)
    expect(await column(page, 1).getByLabel('Instructions').inputValue()).toBe('Be kind.')
    expect(await column(page, 1).getByLabel('Message 1', { exact: true }).inputValue()).toBe(
      'Where is my order?',
    )
    await page.getByText('1 recorded result is used').waitFor()
    await column(page, 2).getByLabel('Instructions').fill('Be brief.')
    await page.getByRole('button', { name: 'Run all' }).click()
    for (const [place, instructions] of [
      [1, 'Be kind.'],
      [2, 'Be brief.'],
    ] as const) {
      await answer(page, place).getByText(`Told: ${instructions}`).waitFor()
      await answer(page, place).getByText('first token').waitFor()
      expect(await answer(page, place).innerText()).toMatch(/Bern[\s\S]*\d+ in, \d+ out/)
    }
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })

  it('keeps edits over a reload, and adds, duplicates, removes and resets columns', async () => {
    const { page, complaints } = await project.browser.open('agents/clerk')
    await openFromChat(page)
    await column(page, 2).getByLabel('Instructions').fill('Be brief.')
    await column(page, 2).getByRole('checkbox', { name: 'lookup' }).uncheck()
    await page.getByRole('button', { name: 'Duplicate column 2' }).click()
    await page.reload()
    await column(page, 3).waitFor()
    expect(await column(page, 3).getByLabel('Instructions').inputValue()).toBe('Be brief.')
    await column(page, 3).getByRole('button', { name: 'Run', exact: true }).click()
    await answer(page, 3).getByText('Plain: Be brief.').waitFor()
    await page.getByRole('button', { name: 'Duplicate column 3' }).click()
    await column(page, 4).waitFor()
    expect(await page.getByRole('button', { name: /^Duplicate/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Remove column 1' }).click()
    await page.getByRole('button', { name: 'Reset' }).click()
    expect(await page.getByRole('region', { name: /^Column \d/ }).count()).toBe(2)
    expect(await column(page, 2).getByLabel('Instructions').inputValue()).toBe('Be kind.')
    expect(complaints).toEqual([])
  })

  it('shows changed instructions as a patch of the source file', async () => {
    const { page, complaints, axe } = await project.browser.open('agents/clerk')
    await openFromChat(page)
    expect(await page.getByRole('button', { name: 'Show as patch' }).count()).toBe(0)
    await column(page, 1).getByLabel('Instructions').fill("Be kind, and don't ramble.")
    await page.getByRole('button', { name: 'Show as patch' }).click()
    const dialog = page.getByRole('dialog', { name: 'Instructions as a patch' })
    await dialog.getByText('--- a/agentserver.config.ts').waitFor()
    expect(await dialog.innerText()).toContain(
      String.raw`+    const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Be kind, and don\'t ramble.'`,
    )
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })

  it('opens from the span of a model call, says what a column lacks, and fits into 390 px', async () => {
    const size = { width: 390, height: 800 }
    const { page, complaints, axe } = await project.browser.open('agents/clerk', { size })
    await openFromChat(page)
    const trace = new URL(page.url()).searchParams.get('trace')
    await page.goto(new URL(`/console/traces/${trace}`, page.url()).href)
    await page
      .getByRole('treeitem', { name: /^scripted/ })
      .first()
      .click()
    await page.getByRole('link', { name: 'Open in prompt lab' }).click()
    await column(page, 1).waitFor()
    expect(new URL(page.url()).searchParams.get('span')).toMatch(/^[0-9a-f]{16}$/)
    await column(page, 1).getByLabel('Message 1', { exact: true }).fill('')
    await column(page, 1).getByText('A message is empty').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })

  it('marks its trials in the history, and sums their costs in a row of their own', async () => {
    const { page, complaints, axe } = await project.browser.open('agents/clerk')
    await openFromChat(page)
    await column(page, 1).getByRole('button', { name: 'Run', exact: true }).click()
    await answer(page, 1).getByText('first token').waitFor()
    await page.getByRole('link', { name: 'Clerk' }).click()
    await page.getByRole('tab', { name: 'History' }).click()
    const rows = page.getByRole('grid', { name: 'Runs' }).getByRole('row')
    const [trial, asked] = [rows.nth(1), rows.nth(2)]
    await trial.getByText('trial', { exact: true }).waitFor()
    expect(await asked.innerText()).not.toContain('trial')
    await trial.click()
    await page.getByRole('region', { name: 'Run' }).getByText('trial', { exact: true }).waitFor()
    expect(await axe()).toEqual([])
    await page.getByRole('tab', { name: 'Costs' }).click()
    const byWorkflow = page.getByRole('table', { name: 'By workflow' })
    await byWorkflow.getByRole('row', { name: 'none: prompt lab' }).waitFor()
    await byWorkflow.getByRole('row', { name: 'none: requests to agents' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('shows the recorded answer first, and how others differ from it', async () => {
    const { page, complaints, axe } = await project.browser.open('agents/clerk', { theme: 'dark' })
    await openFromChat(page)
    const recorded = page.getByRole('article', { name: 'Recorded answer' })
    await recorded.getByText('Told: Be kind.').waitFor()
    expect(await recorded.innerText()).toMatch(/lookup[\s\S]*\d+ in, \d+ out/)
    expect(
      await page
        .getByRole('region', { name: /^(?:Recorded|Column \d)$/ })
        .first()
        .innerText(),
    ).toMatch(/^Recorded/)
    await column(page, 2).getByLabel('Instructions').fill('Be brief.')
    await page.keyboard.press('Control+Enter')
    await answer(page, 1).getByText('The same as Recorded').waitFor()
    await answer(page, 2).getByText('Differences from Recorded').click()
    expect(await answer(page, 2).getByRole('deletion').allInnerTexts()).toEqual(['kind'])
    expect(await answer(page, 2).getByRole('insertion').allInnerTexts()).toEqual(['brief'])
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })

  it('has sub-agents among the tools, whose recorded answers it returns', async () => {
    const { page, complaints } = await project.browser.open('agents/boss')
    await openFromChat(page)
    await page.getByText('1 recorded result is used').waitFor()
    await column(page, 2).getByRole('checkbox', { name: 'ask_helper' }).uncheck()
    await page.getByRole('button', { name: 'Run all' }).click()
    await answer(page, 1).getByText('The same as Recorded').waitFor()
    expect(await answer(page, 1).innerText()).toContain('from the helper')
    await answer(page, 2).getByText('Nobody was asked').first().waitFor()
    expect(complaints).toEqual([])
  })

  it('takes a model of any agent, a priced one or another, and the inputs of examples and cases', async () => {
    const { page, complaints, axe } = await project.browser.open('agents/clerk/lab')
    const model = column(page, 1).getByRole('combobox', { name: 'Model' })
    const options = async () => {
      const all = await column(page, 1).locator('datalist option').all()
      return Promise.all(all.map((option) => option.getAttribute('value')))
    }
    await expect.poll(options).toEqual(['openai/gpt-5-mini', 'scripted/asking', 'scripted/scripted'])
    await model.fill('nowhere/x')
    await page.getByRole('button', { name: 'Inputs' }).click()
    await page.getByRole('menuitem', { name: 'Example Is it blue?' }).waitFor()
    expect(await axe()).toEqual([])
    await page.getByRole('menuitem', { name: 'Case colour: What colour is A-1?' }).click()
    const message = column(page, 2).getByLabel('Message 1', { exact: true })
    await expect.poll(() => message.inputValue()).toBe('What colour is A-1?')
    await message.press('Control+Enter')
    await answer(page, 1).getByText('unknown provider').waitFor()
    await answer(page, 2).getByText('Told: Be kind.').waitFor()
    expect(complaints.filter((one) => !one.includes('400'))).toEqual([])
  })

  it('is run by Ctrl+Enter in its JSON editors, too', async () => {
    const { page, complaints } = await project.browser.open('agents/clerk/lab')
    await column(page, 1).getByLabel('Message 1', { exact: true }).fill('Where is it?')
    await column(page, 1).locator('summary').click()
    await column(page, 1).getByRole('button', { name: 'JSON' }).click()
    const editor = column(page, 1).getByRole('textbox', { name: 'Model settings' })
    await editor.fill('{"temperature": 0}')
    await editor.press('Control+Enter')
    await answer(page, 1).getByText('Told: Be kind.').waitFor()
    expect(complaints).toEqual([])
  })
})
