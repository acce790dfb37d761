import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { createAgent, defineConfig, demoModel } from 'agentserver'
    import { z } from 'zod'
    export default defineConfig({ agents: [
      createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Help.', model: demoModel({ delayMs: 0 }),
        memory: { workingMemory: z.object({ name: z.string().optional() }) } }),
    ] })
  `,
})

beforeAll(() => project.start())
afterAll(() => project.end())

async function ask(id: string, text: string, userId?: string): Promise<void> {
  const response = await fetch(new URL('/agents/clerk/chat', project.server.url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      id,
      messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
      ...(userId !== undefined && { options: { userId } }),
    }),
  })
  await response.text()
}

const list = (page: Page) => page.getByRole('navigation', { name: 'Conversations' })
const log = (page: Page) => page.getByRole('log', { name: 'Messages' })

it('stored conversations are searched, opened and renamed', async () => {
  await ask('parcel', 'Where is parcel?')
  await ask('parcel', 'And the other one?')
  await ask('invoice', 'Send invoice', 'anna')
  const size = { width: 1024, height: 700 }
  const { page, complaints, axeInBothThemes } = await project.browser.open('agents/clerk', { size })
  await list(page).getByText('Send invoice').waitFor()
  await list(page).getByLabel('Search conversations').fill('parcel')
  await expect.poll(() => list(page).getByRole('link').count()).toBe(1)
  expect(await list(page).getByRole('link').innerText()).toMatch(/Where is parcel[\s\S]*4 messages/)
  await list(page).getByRole('link').click()
  await log(page).getByText('You said: And the other one?').waitFor()
  expect(await log(page).getByRole('article').count()).toBe(4)
  expect(await axeInBothThemes()).toEqual([])
  await page.getByRole('button', { name: 'Rename', exact: true }).click()
  await page.getByRole('dialog', { name: 'Rename conversation' }).waitFor()
  expect(await axeInBothThemes()).toEqual([])
  await page.getByLabel('Title').fill('Lost parcel')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Lost parcel' }).waitFor()
  await list(page).getByText('Lost parcel').waitFor()
  // the other user's conversation opens with its messages, too
  await list(page).getByLabel('Search conversations').fill('nothing like it')
  await list(page).getByText('No conversations match').waitFor()
  await list(page).getByLabel('Search conversations').fill('invoice')
  await list(page).getByText('Send invoice').click()
  await log(page).getByText('You said: Send invoice').waitFor()
  expect(new URL(page.url()).searchParams.get('user')).toBe('anna')
  expect(complaints).toEqual([])
})

it('a conversation is deleted after a confirmation', async () => {
  await ask('gone', 'Forget this')
  const { page, complaints, axe } = await project.browser.open('agents/clerk?conversation=gone')
  await log(page).getByText('You said: Forget this').waitFor()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete conversation' })
  await dialog.getByText('This cannot be undone').waitFor()
  expect(await axe()).toEqual([])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await log(page).getByText('You said: Forget this').waitFor()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Chat with Clerk').waitFor()
  await expect.poll(() => list(page).getByText('Forget this').count()).toBe(0)
  const url = new URL('/agents/clerk/conversations/gone/messages', project.server.url)
  expect((await fetch(url)).status).toBe(404)
  expect(complaints).toEqual([])
})

it('a conversation fits into 390 px, with its actions', async () => {
  await ask('narrow', 'A small screen')
  const size = { width: 390, height: 800 }
  const { page, axe } = await project.browser.open('agents/clerk?conversation=narrow', { size })
  await log(page).getByText('You said: A small screen').waitFor()
  await page.getByRole('button', { name: 'Rename', exact: true }).waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
  expect(await axe()).toEqual([])
})

it('the working memory of an agent is saved and deleted, and its schema is checked', async () => {
  const { page, axe } = await project.browser.open('agents/clerk', { expected: /status of 400/ })
  const memory = () => fetch(new URL('/agents/clerk/working-memory', project.server.url))
  await page.getByRole('button', { name: 'Working memory' }).click()
  const dialog = page.getByRole('dialog', { name: 'Working memory' })
  const editor = dialog.getByRole('textbox', { name: 'Working memory' })
  await editor.fill('{"name": 3}')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').getByText('name').waitFor()
  expect(await axe()).toEqual([])
  await editor.fill('{"name": "Anna"}')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await (await memory()).json()).toMatchObject({ data: { name: 'Anna' } })
  await page.getByRole('button', { name: 'Working memory' }).click()
  await editor.getByText('"Anna"').last().waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await (await memory()).json()).toMatchObject({ data: null })
})
