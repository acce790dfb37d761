import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { ConsoleProject } from '../../support/browser/console-project.ts'
import { chooseOption } from '../../support/browser/choose-option.ts'

/** Model output that tries to run code, load resources or break the layout. */
const HOSTILE = [
  '<img src="https://evil.example/a.png" onerror="globalThis.harm = 1"><script>globalThis.harm = 2</script>',
  '![pixel](https://evil.example/p.png) [click](javascript:globalThis.harm=3) [data](data:text/html,x)',
  `\u202Eright to left\u202C ${'W'.repeat(500)} \u001B[31mred\u001B[0m \u0000 👩‍👩‍👧‍👦`,
  `| <b>a</b> | b |\n|---|---|\n| ${'x'.repeat(300)} | y |`,
  '```html\n<script>globalThis.harm = 4</script>\n```',
].join('\n\n')

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { createAgent, createTool, defineConfig, demoModel } from 'agentserver'
    import { scriptedModel } from 'agentserver/testing'
    import { z } from 'zod'
    const lookup = createTool({
      name: 'lookup', description: 'Looks up an order',
      inputSchema: z.object({ orderId: z.string() }),
      execute: ({ orderId }) => ({ orderId, status: 'shipped' }),
    })
    const instructions = 'Help.'
    const HOSTILE = ${JSON.stringify(HOSTILE)}
    const long = Array.from({ length: 900 }, (_, n) => \`Paragraph \${n} \${'with words '.repeat(10)}\\n\\n\`).join('')
    export default defineConfig({ agents: [
      createAgent({ id: 'clerk', name: 'Clerk', description: 'Answers', instructions, tools: [lookup],
        model: demoModel({ delayMs: 40, note: 'a demo' }) }),
      createAgent({ id: 'slow', name: 'Slow', instructions,
        model: scriptedModel([{ text: 'A very long answer. '.repeat(2000), delayMs: 100 }, 'Regenerated', 'To the second',
          'To the changed', 'To the third']) }),
      createAgent({ id: 'hostile', name: HOSTILE, description: HOSTILE, instructions: HOSTILE,
        model: scriptedModel([{ reasoning: HOSTILE, text: HOSTILE }], { repeatLast: true }) }),
      createAgent({ id: 'torn', name: 'Torn', instructions,
        model: scriptedModel([{ text: 'Half', error: new Error('gone') }, 'Whole now']) }),
      createAgent({ id: 'long', name: 'Long', instructions, model: scriptedModel([long], { repeatLast: true }) }),
    ] })
  `,
})

beforeAll(() => project.start())
afterAll(() => project.end())

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text)
  await page.keyboard.press('Enter')
}

/** Distance of the log from its end, in pixels. */
const TO_END = `(() => {
  const log = document.querySelector('[role="log"]')
  return log.scrollHeight - log.scrollTop - log.clientHeight
})()`

const log = (page: Page) => page.getByRole('log', { name: 'Messages' })
const isIdle = (page: Page) => page.getByRole('button', { name: 'Send', exact: true }).waitFor()

describe('a chat', () => {
  it('streams a response with a tool call, and shows tokens and timing', async () => {
    const { page, complaints, axe } = await project.browser.open('agents/clerk', { theme: 'dark' })
    await say(page, 'Lookup order A-1')
    await page.getByRole('button', { name: 'Stop' }).waitFor()
    await isIdle(page)
    const call = log(page).locator('details').filter({ hasText: 'lookup' })
    await call.locator('summary').click()
    expect(await call.innerText()).toMatch(/Input[\s\S]*A-1[\s\S]*Result[\s\S]*shipped/)
    const text = await log(page).innerText()
    expect(text).toContain('lookup returned')
    expect(text).toMatch(/demo\/demo\s+[\d,]+ in, \d+ out\s+first token [\d.]+ m?s/)
    const trace = log(page).getByRole('link', { name: 'Request', exact: true })
    expect(await trace.getAttribute('href')).toMatch(/\/console\/traces\/[0-9a-f]{32}$/)
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })

  it('stops and regenerates responses and edits messages; the server stores the result', async () => {
    const { page, complaints } = await project.browser.open('agents/slow')
    await say(page, 'First')
    await log(page).getByText('A very').waitFor()
    await page.keyboard.press('Escape')
    await log(page).getByText('Cancelled').waitFor()
    await log(page).getByRole('button', { name: 'Regenerate' }).click()
    await log(page).getByText('Regenerated').waitFor()
    await isIdle(page)
    expect(await log(page).innerText()).not.toContain('Cancelled')
    await say(page, 'Second')
    await log(page).getByText('To the second').waitFor()
    await isIdle(page)
    await log(page).getByRole('article', { name: 'You' }).first().hover()
    await log(page).getByRole('button', { name: 'Edit and resend' }).first().click()
    await log(page).getByLabel('Edited message').fill('Changed')
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => log(page).getByRole('article', { name: 'You' }).allInnerTexts()).toHaveLength(1)
    await log(page).getByText('To the changed').waitFor()
    await isIdle(page)
    await say(page, 'Third')
    await log(page).getByText('To the third').waitFor()
    await isIdle(page)
    // the URL opened in a new page shows the same conversation
    const again = await project.browser.open(page.url().split('/console/')[1] ?? '')
    await expect.poll(() => log(again.page).getByRole('article').count()).toBe(4)
    const texts = await log(again.page).getByRole('article', { name: 'You' }).allInnerTexts()
    expect(texts.map((text) => text.replaceAll(/\s+/g, ' ').trim())).toEqual(['You Changed', 'You Third'])
    expect([...complaints, ...again.complaints]).toEqual([])
  })

  it('lists conversations and keeps them apart', async () => {
    const { page } = await project.browser.open('agents/clerk')
    const list = page.getByRole('navigation', { name: 'Conversations' })
    await say(page, 'A conversation of its own')
    await list.getByText('A conversation of its own').waitFor()
    await list.getByRole('button', { name: 'New' }).click()
    await page.getByText('Chat with Clerk').waitFor()
    await say(page, 'Another one')
    await list.getByText('Another one').waitFor()
    await list.getByText('A conversation of its own').click()
    await isIdle(page)
    // it kept streaming while the other one was shown
    const text = await log(page).innerText()
    expect(text).toContain('You said: A conversation of its own')
    expect(text).not.toContain('Another one')
  })

  it('shows a response to another client when it is complete', async () => {
    const body = {
      id: 'shared',
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'From elsewhere' }] }],
    }
    const response = await fetch(new URL('/agents/clerk/chat', project.server.url), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { page } = await project.browser.open('agents/clerk?conversation=shared')
    await response.text()
    await log(page).getByText('You said: From elsewhere').waitFor()
    await say(page, 'And from here')
    await isIdle(page)
    expect(await log(page).getByRole('article').count()).toBe(4)
  })

  it('shows an error in the conversation, and retries', async () => {
    const { page, axe } = await project.browser.open('agents/torn')
    await say(page, 'Try')
    const failure = log(page).getByRole('alert')
    await failure.waitFor()
    expect(await log(page).innerText()).toContain('Half')
    // the history has the cause
    await failure.getByText('gone').waitFor()
    expect(await axe()).toEqual([])
    await failure.getByRole('button', { name: 'Retry' }).click()
    await log(page).getByText('Whole now').waitFor()
    expect(await log(page).innerText()).not.toContain('Half')
    expect(await log(page).getByRole('article').count()).toBe(2)
  })

  it('renders model output as text and elements only', async () => {
    const { page, complaints, axe } = await project.browser.open('agents/hostile')
    await say(page, HOSTILE)
    await isIdle(page)
    await log(page).getByText('Reasoning').click()
    await log(page).getByRole('table').first().waitFor()
    expect(await page.evaluate('globalThis.harm')).toBeUndefined()
    expect(await page.evaluate('document.querySelectorAll("main img, main script").length')).toBe(0)
    const links = `[...document.querySelectorAll('[role="log"] a')].map((one) => one.href)`
    const hrefs = (await page.evaluate(links)) as string[]
    expect(hrefs.length).toBeGreaterThan(0)
    expect(hrefs.filter((href) => !href.startsWith('http'))).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    expect(await axe()).toEqual([])
    for (const tab of ['History', 'Instructions', 'Card']) {
      await page.getByRole('tab', { name: tab }).click()
      await page.getByRole('tabpanel').getByText('evil.example').first().waitFor()
      expect(await page.evaluate('globalThis.harm')).toBeUndefined()
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
      expect([tab, await axe()]).toEqual([tab, []])
    }
    expect(complaints).toEqual([])
  })

  it('follows a long response until the user scrolls up', async () => {
    const { page } = await project.browser.open('agents/long')
    await say(page, 'Go on')
    await log(page).getByText('Paragraph 899 ').waitFor()
    await isIdle(page)
    const left = () => page.evaluate(TO_END)
    await expect.poll(left).toBeLessThan(2)
    expect((await log(page).innerText()).length).toBeGreaterThan(100_000)
    await log(page).focus()
    await page.keyboard.press('Home')
    await expect.poll(() => page.evaluate(`document.querySelector('[role="log"]').scrollTop`)).toBe(0)
    await page.getByRole('button', { name: 'Jump to end' }).click()
    await expect.poll(left).toBeLessThan(2)
  })
})

describe.each(['light', 'dark'] as const)('the agent screens, %s', (theme) => {
  it('have no accessibility or CSP violations', async () => {
    const size = theme === 'dark' ? { width: 1024, height: 700 } : { width: 1440, height: 900 }
    const { page, complaints, axe } = await project.browser.open('agents', { theme, size })
    await page.getByRole('list', { name: 'Agents' }).getByRole('link', { name: 'Clerk' }).waitFor()
    expect(await axe()).toEqual([])
    await page.getByLabel('Search agents').fill('nothing like it')
    await page.getByText('No agents match these filters').waitFor()
    await page.getByLabel('Search agents').fill('')
    await page.getByRole('link', { name: 'Clerk' }).click()
    for (const tab of ['Chat', 'Object', 'History', 'Card', 'Instructions']) {
      await page.getByRole('tab', { name: tab }).click()
      await expect.poll(() => page.getByText('Loading').count()).toBe(0)
      expect([tab, await axe()]).toEqual([tab, []])
    }
    expect(complaints).toEqual([])
  })
})

describe('a generated object', () => {
  it('is generated with its schema; an invalid schema is reported at its editor', async () => {
    const { page } = await project.browser.open('agents/clerk?tab=object', { expected: /status of 400/ })
    await page.getByLabel('Prompt').fill('Summarise the weather')
    await page.keyboard.press('Control+Enter')
    const tree = page.getByRole('tree', { name: 'Object' })
    await tree.getByText('topics:').waitFor()
    await page.getByRole('link', { name: 'Request', exact: true }).waitFor()
    await page.getByRole('textbox', { name: 'JSON Schema of the object' }).fill('{"type":"nonsense"}')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => page.getByText(/^schema/).count()).toBeGreaterThan(0)
  })
})

describe('the history of an agent', () => {
  it('is filtered and opened by its URL', async () => {
    const { page } = await project.browser.open('agents/torn?tab=history')
    const grid = page.getByRole('grid', { name: 'Runs' })
    await expect.poll(() => grid.getByRole('row').count()).toBe(3)
    await chooseOption(page.getByLabel('Status'), 'failed')
    await expect.poll(() => grid.getByRole('row').count()).toBe(2)
    await grid.getByText('Try').click()
    const run = page.getByRole('region', { name: 'Run' })
    await run.getByText('Half').first().waitFor()
    expect(new URL(page.url()).search).toMatch(/tab=history&status=error&run=.+/)
    const cold = await project.browser.open(page.url().split('/console/')[1] ?? '')
    await cold.page.getByRole('region', { name: 'Run' }).getByRole('heading', { name: 'Run' }).waitFor()
    expect(await cold.axe()).toEqual([])
  })
})
