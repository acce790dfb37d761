import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { createAgent, createTool, defineConfig } from 'agentserver'
    import { scriptedModel } from 'agentserver/testing'
    import { z } from 'zod'
    const tool = (name, description) => createTool({ name, description, inputSchema: z.object({}), execute: () => 'done' })
    const settings = scriptedModel(
      [({ temperature, maxOutputTokens, topP, stopSequences }) =>
        'Settings: ' + JSON.stringify({ temperature, maxOutputTokens, topP, stopSequences })],
      { repeatLast: true },
    )
    const refund = createTool({ name: 'refund', description: 'Refunds an order', needsApproval: true,
      inputSchema: z.object({ orderId: z.string(), cents: z.number().max(10000) }),
      execute: ({ orderId, cents }) => 'Refunded ' + cents + ' of ' + orderId })
    const words = Array.from({ length: 400 }, (_, n) => 'word' + n).join(' ')
    const call = (orderId) => ({ toolName: 'refund', input: { orderId, cents: 9000 } })
    // slow enough that a page sees the middle of a response
    const slow = scriptedModel([({ prompt }) => {
      const last = prompt.at(-1)
      if (last.role === 'tool') return { text: 'Result: ' + JSON.stringify(last.content) + ' ' + words, delayMs: 30 }
      const text = JSON.stringify(last.content)
      if (text.includes('two')) return { text: 'One moment.', toolCalls: [call('A-1'), call('A-2')] }
      return text.includes('efund') ? { text: 'One moment.', toolCalls: [call('A-1')] } : { text: words, delayMs: 30 }
    }], { repeatLast: true })
    const slowAgent = (id, resumable) =>
      createAgent({ id, name: id, instructions: 'Help.', model: slow, memory: {}, resumable, tools: [refund] })
    export default defineConfig({ agents: [
      createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Help.', model: settings, memory: {},
        tools: [tool('lookup', 'Looks up an order.'), tool('getWeather', 'Get the weather of a city'), tool('frob', 'Frobs')] }),
      slowAgent('kept', true), slowAgent('plain', false),
    ] })
  `,
})

beforeAll(() => project.start())
afterAll(() => project.end())

const field = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })
const log = (page: Page) => page.getByRole('log', { name: 'Messages' })
const list = (page: Page) => page.getByRole('navigation', { name: 'Conversations' })

const isFocused = (page: Page, label: string) =>
  page.evaluate(`document.activeElement.getAttribute('aria-label') === ${JSON.stringify(label)}`)

async function say(page: Page, text: string): Promise<void> {
  await field(page).fill(text)
  await page.keyboard.press('Enter')
}

describe.each([
  ['light', 1440],
  ['dark', 390],
] as const)('the message field, %s, %i px', (theme, width) => {
  it('says what its keys do, and grows with its text up to a height', async () => {
    const size = { width, height: 800 }
    const { page, axe, complaints } = await project.browser.open('agents/clerk', { theme, size })
    const height = async () => (await field(page).boundingBox())?.height ?? 0
    await page.getByText('Shift+Enter').waitFor()
    expect(await field(page).getAttribute('aria-describedby')).toBeTruthy()
    const one = await height()
    await field(page).fill('first')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('second')
    expect(await field(page).inputValue()).toBe('first\nsecond')
    await expect.poll(height).toBeGreaterThan(one + 10)
    await field(page).fill('line\n'.repeat(200))
    await expect.poll(height).toBeLessThanOrEqual(201)
    expect(
      await page.evaluate(`(() => {
      const { scrollHeight, clientHeight } = document.querySelector('textarea[aria-label="Message"]')
      return scrollHeight > clientHeight
    })()`),
    ).toBe(true)
    expect(await page.evaluate('document.documentElement.scrollHeight - innerHeight')).toBe(0)
    expect(await axe()).toEqual([])
    await field(page).fill('')
    await expect.poll(height).toBe(one)
    expect(complaints).toEqual([])
  })

  it('is filled by a starter prompt of a tool', async () => {
    const size = { width, height: 800 }
    const { page, axe, complaints } = await project.browser.open('agents/clerk', { theme, size })
    const prompts = page.getByRole('list', { name: 'Starter prompts' }).getByRole('button')
    await prompts.first().waitFor()
    expect(await prompts.allInnerTexts()).toEqual([
      'Look up an order',
      'Show me the weather of a city',
      'Frob',
    ])
    expect(await axe()).toEqual([])
    await prompts.nth(1).click()
    expect(await field(page).inputValue()).toBe('Show me the weather of a city')
    expect(await isFocused(page, 'Message')).toBe(true)
    await page.keyboard.press('Enter')
    await log(page).getByText('Settings: {}').waitFor()
    expect(await prompts.count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('sends the model settings that are set, after checking them', async () => {
    const size = { width, height: 800 }
    const { page, axe, complaints } = await project.browser.open('agents/clerk', { theme, size })
    await page.locator('summary', { hasText: 'Model settings' }).click()
    const settings = page.getByRole('group', { name: 'Model settings', exact: true })
    expect(await settings.getByLabel('Temperature').inputValue()).toBe('')
    await settings.getByLabel('Temperature').fill('0.2')
    await settings.getByLabel('Max output tokens').fill('1.5')
    await settings.getByLabel('Top P').fill('3')
    await settings.getByRole('button', { name: 'Add to Stop sequences' }).click()
    await settings.getByRole('textbox', { name: 'Stop sequences 1' }).fill('END')
    await page.getByText('Model settings (4 set)').click()
    await say(page, 'Try it')
    await settings.getByRole('alert').getByText('maxOutputTokens').waitFor()
    await settings.getByText('Must be a whole number, such as 12').waitFor()
    await settings.getByText('Must be at most 1', { exact: true }).waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.value')).toBe('1.5')
    expect(await field(page).inputValue()).toBe('Try it')
    expect(await axe()).toEqual([])
    await settings.getByLabel('Max output tokens').fill('100')
    await settings.getByLabel('Top P').fill('')
    await field(page).press('Enter')
    await log(page)
      .getByText('Settings: {"temperature":0.2,"maxOutputTokens":100,"stopSequences":["END"]}')
      .waitFor()
    expect(await field(page).inputValue()).toBe('')
    await page.getByRole('button', { name: 'Reset settings' }).click()
    await say(page, 'Once more')
    await log(page).getByText('Settings: {}').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    expect(complaints).toEqual([])
  })

  it('keeps a message that is being written while others are shown', async () => {
    const size = { width, height: 800 }
    const { page } = await project.browser.open('agents/clerk', { theme, size })
    await say(page, `Begin ${theme}`)
    await log(page).getByText('Settings: {}').waitFor()
    await field(page).fill('half a mess')
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByRole('tab', { name: 'Chat' }).click()
    expect(await field(page).inputValue()).toBe('half a mess')
    await list(page).getByRole('button', { name: 'New' }).click()
    await expect.poll(() => field(page).inputValue()).toBe('')
    await expect.poll(() => isFocused(page, 'Message')).toBe(true)
    await list(page).getByText(`Begin ${theme}`).first().click()
    await expect.poll(() => field(page).inputValue()).toBe('half a mess')
  })
})

describe.each([
  ['light', 1024],
  ['dark', 390],
] as const)('the list of conversations, %s, %i px', (theme, width) => {
  it('renames and deletes a found conversation, and keeps the one that is open', async () => {
    const size = { width, height: 800 }
    const { page, axe, complaints } = await project.browser.open('agents/clerk', { theme, size })
    for (const text of [`Parcel ${theme}`, `Invoice ${theme}`]) {
      await list(page).getByRole('button', { name: 'New' }).click()
      await say(page, text)
      await log(page).getByText('Settings: {}').waitFor()
      await list(page).getByRole('link', { name: text }).waitFor()
    }
    await list(page).getByLabel('Search conversations').fill(`parcel ${theme}`)
    await expect.poll(() => list(page).getByRole('link').count()).toBe(1)
    // the open conversation is not among those found
    await page.getByRole('heading', { name: `Invoice ${theme}` }).waitFor()
    await page.getByRole('button', { name: 'Rename', exact: true }).waitFor()
    await list(page).getByRole('link').hover()
    await list(page)
      .getByRole('button', { name: `Rename Parcel ${theme}` })
      .click()
    const rename = page.getByRole('dialog', { name: 'Rename conversation' })
    await rename.getByLabel('Title').fill(`Lost parcel ${theme}`)
    expect(await axe()).toEqual([])
    await rename.getByRole('button', { name: 'Rename' }).click()
    await rename.waitFor({ state: 'detached' })
    await list(page)
      .getByRole('link', { name: `Lost parcel ${theme}` })
      .hover()
    expect(await axe()).toEqual([])
    await list(page)
      .getByRole('button', { name: `Delete Lost parcel ${theme}` })
      .click()
    const remove = page.getByRole('dialog', { name: 'Delete conversation' })
    await remove.getByText(`Lost parcel ${theme}`).waitFor()
    await remove.getByRole('button', { name: 'Delete' }).click()
    await list(page).getByText('No conversations match').waitFor()
    expect(await log(page).innerText()).toContain(`Invoice ${theme}`)
    await list(page).getByLabel('Search conversations').fill('')
    await list(page)
      .getByRole('link', { name: `Invoice ${theme}` })
      .waitFor()
    expect(await list(page).getByText(`Lost parcel ${theme}`).count()).toBe(0)
    expect(complaints).toEqual([])
  })
})

describe('a chat', () => {
  it('lets new messages enter in 120 ms, and at once without motion', async () => {
    const { page } = await project.browser.open('agents/clerk')
    const durations = () =>
      page.evaluate(`[...document.querySelectorAll('[role="log"] article')].map((one) =>
        parseFloat(getComputedStyle(one).animationDuration))`)
    await say(page, 'Enter')
    await log(page).getByText('Settings: {}').waitFor()
    expect(await durations()).toEqual([0.12, 0.12])
    await page.emulateMedia({ reducedMotion: 'reduce' })
    expect(await durations()).toEqual([0.00001, 0.00001])
  })

  it('asks before an edited message is thrown away', async () => {
    const { page, axe } = await project.browser.open('agents/clerk')
    await say(page, 'Original')
    await log(page).getByText('Settings: {}').waitFor()
    await log(page).getByRole('article', { name: 'You' }).hover()
    await log(page).getByRole('button', { name: 'Edit and resend' }).click()
    const editor = log(page).getByLabel('Edited message')
    await editor.fill('Changed')
    await page.keyboard.press('Escape')
    const question = page.getByRole('alertdialog', { name: 'Discard changes?' })
    await question.waitFor()
    expect(await axe()).toEqual([])
    await question.getByRole('button', { name: 'Keep editing' }).click()
    expect(await editor.inputValue()).toBe('Changed')
    await log(page).getByRole('button', { name: 'Cancel' }).click()
    await question.getByRole('button', { name: 'Discard' }).click()
    await log(page).getByText('Original').waitFor()
    expect(await editor.count()).toBe(0)
  })
})
