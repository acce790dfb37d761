import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { ConsoleBrowser } from '../../support/browser/console-browser.ts'
import { prefixProxy } from '../../support/browser/prefix-proxy.ts'
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
const stop = (page: Page) => page.getByRole('button', { name: 'Stop', exact: true })
const panels = (page: Page) => page.getByRole('group', { name: 'Approval of refund' })

async function say(page: Page, text: string): Promise<void> {
  await field(page).fill(text)
  await page.keyboard.press('Enter')
}

/** The status of the newest run of an agent. */
async function newestStatus(agentId: string): Promise<string | undefined> {
  const response = await fetch(new URL(`/agents/${agentId}/history?limit=1`, project.server.url))
  const { data } = (await response.json()) as { data: { status: string }[] }
  return data[0]?.status
}

describe.each(['kept', 'plain'])('an approval in the chat of the agent %s', (agent) => {
  it('continues part by part after it was edited and approved, and is stopped', async () => {
    const { page, axe, complaints } = await project.browser.open(`agents/${agent}`)
    await say(page, 'Refund it')
    await panels(page).getByRole('button', { name: 'Edit' }).click()
    await panels(page).getByLabel('cents').fill('20000')
    await panels(page).getByRole('button', { name: 'Approve with changes' }).click()
    await panels(page).getByRole('alert').getByText('cents').waitFor()
    await panels(page).getByText('Must be at most 10000').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.value')).toBe('20000')
    expect(await axe()).toEqual([])
    await panels(page).getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Keep editing' }).click()
    await panels(page).getByLabel('cents').fill('5000')
    await panels(page).getByRole('button', { name: 'Approve with changes' }).click()
    await log(page).getByText('word1', { exact: false }).first().waitFor()
    expect(await log(page).innerText()).not.toContain('word399')
    expect(await log(page).innerText()).toContain('Refunded 5000 of A-1')
    await stop(page).click()
    await log(page).getByText('Cancelled').waitFor()
    await expect.poll(() => newestStatus(agent)).toBe('aborted')
    expect(complaints).toEqual([])
  })

  it('is one of two, and the response continues after the second', async () => {
    const { page, axe, complaints } = await project.browser.open(`agents/${agent}`, {
      theme: 'dark',
      size: { width: 390, height: 800 },
    })
    await say(page, 'Refund two')
    await expect.poll(() => panels(page).count()).toBe(2)
    expect(await axe()).toEqual([])
    await panels(page).first().getByRole('button', { name: 'Approve', exact: true }).click()
    await expect.poll(() => panels(page).count()).toBe(1)
    await panels(page).getByRole('button', { name: 'Deny' }).click()
    await panels(page).getByLabel('Reason, for the model (optional)').fill('Too much')
    await panels(page).getByRole('button', { name: 'Deny call' }).click()
    await log(page).getByText('word1', { exact: false }).first().waitFor()
    const text = await log(page).innerText()
    expect(text).toContain('Refunded 9000 of A-1')
    expect(text).toContain('Too much')
    await stop(page).click()
    await expect.poll(() => newestStatus(agent)).toBe('aborted')
    expect(complaints).toEqual([])
  })
})

describe('a resumable response', () => {
  it('continues after the page was loaded again, in a second page too, and is stopped there', async () => {
    const { page, complaints } = await project.browser.open('agents/kept')
    await say(page, 'Count')
    await log(page).getByText('word3', { exact: false }).first().waitFor()
    await page.reload()
    await log(page).getByText('word9', { exact: false }).first().waitFor()
    expect(await log(page).innerText()).not.toContain('word399')
    const other = await project.browser.open(page.url().split('/console/')[1] ?? '')
    await log(other.page).getByText('word20', { exact: false }).first().waitFor()
    await stop(other.page).click()
    await expect.poll(() => newestStatus('kept')).toBe('aborted')
    await log(page).getByText('Cancelled').waitFor()
    expect(await log(page).getByRole('article').count()).toBe(2)
    expect([...complaints, ...other.complaints]).toEqual([])
  })
})

describe('two pages of a conversation', () => {
  it('show the messages and decisions of each other', async () => {
    const { page } = await project.browser.open('agents/plain')
    await say(page, 'Refund this')
    await panels(page).waitFor()
    const other = await project.browser.open(page.url().split('/console/')[1] ?? '')
    await panels(other.page).waitFor()
    await panels(page).getByRole('button', { name: 'Approve', exact: true }).click()
    await panels(other.page).waitFor({ state: 'detached' })
    await stop(page).click()
    await expect.poll(() => newestStatus('plain')).toBe('aborted')
    await say(page, 'From the first')
    await log(other.page).getByText('From the first').waitFor()
    await stop(page).click()
  })
})

describe('a lost connection', () => {
  it.each(['plain', 'kept'])(
    'is told and recovered from in the middle of a response of %s',
    async (agent) => {
      const proxy = await prefixProxy(project.server.url, '/proxied')
      const browser = await ConsoleBrowser.launch(proxy.url, '/proxied')
      try {
        const { page, axe } = await browser.open(`agents/${agent}`, { expected: /./ })
        await say(page, 'Count')
        await log(page).getByText('word3', { exact: false }).first().waitFor()
        proxy.cut()
        await log(page).getByText('The connection was lost. Reconnecting').waitFor()
        expect(await log(page).innerText()).toContain('word3')
        expect(await axe()).toEqual([])
        proxy.restore()
        if (agent === 'plain') {
          const failure = log(page).getByRole('alert')
          await failure.getByText('The connection was lost before the response was complete').waitFor()
          expect(await log(page).innerText()).toContain('word3')
          await failure.getByRole('button', { name: 'Retry' }).click()
          await failure.waitFor({ state: 'detached' })
        }
        await log(page).getByText('word20', { exact: false }).first().waitFor()
        expect(await log(page).getByRole('article').count()).toBe(2)
        await stop(page).click()
        await log(page).getByText('Cancelled').waitFor()
        await expect.poll(() => newestStatus(agent)).toBe('aborted')
      } finally {
        await browser.close()
        proxy.close()
      }
    },
  )

  it('keeps a message, a decision and a title that were not sent, and sends them again', async () => {
    const { page, axe } = await project.browser.open('agents/clerk', { expected: /./ })
    const fail = (pattern: RegExp) => page.route(pattern, (route) => route.abort())
    await fail(/\/chat$/)
    await say(page, 'Are you there?')
    await log(page).getByText('The server cannot be reached').waitFor()
    await log(page).getByText('Are you there?').waitFor()
    await page.unroute(/\/chat$/)
    await log(page).getByRole('button', { name: 'Retry' }).click()
    await log(page).getByText('Settings: {}').waitFor()
    await page.getByRole('button', { name: 'Rename', exact: true }).click()
    const rename = page.getByRole('dialog', { name: 'Rename conversation' })
    await rename.getByLabel('Title').fill('Another title')
    await fail(/\/conversations\//)
    await rename.getByRole('button', { name: 'Rename' }).click()
    await rename.getByText('The server cannot be reached').waitFor()
    await page.unroute(/\/conversations\//)
    await rename.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('heading', { name: 'Another title' }).waitFor()

    const plain = await project.browser.open('agents/plain', { expected: /./ })
    await say(plain.page, 'Refund it')
    await panels(plain.page).waitFor()
    await plain.page.route(/\/approvals$/, (route) => route.abort())
    await panels(plain.page).getByRole('button', { name: 'Approve', exact: true }).click()
    await panels(plain.page).getByRole('alert').getByText('The server cannot be reached').waitFor()
    expect(await plain.axe()).toEqual([])
    await plain.page.unroute(/\/approvals$/)
    await panels(plain.page).getByRole('button', { name: 'Approve', exact: true }).click()
    await log(plain.page).getByText('word1', { exact: false }).first().waitFor()
    await stop(plain.page).click()
    expect(await axe()).toEqual([])
  })
})
