import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { createAgent, createTool, defineConfig } from 'agentserver'
    import { scriptedModel } from 'agentserver/testing'
    import { z } from 'zod'
    const results = ({ prompt }) =>
      prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []))
        .map((part) => JSON.stringify(part.output.value)).join()
    const usage = { inputTokens: 10, outputTokens: 10 }
    const ask = createTool({ name: 'ask', description: 'Asks', inputSchema: z.object({}),
      execute: async (_, { step }) => {
        const { city } = await step.suspend('place', { reason: 'Where to?', resumeSchema: z.object({ city: z.string() }) })
        return city
      } })
    const weather = createTool({ name: 'weather', description: 'The weather', inputSchema: z.object({}), execute: () => 'sunny' })
    const calls = (toolName, input = {}) => ({ text: 'One moment. ', toolCalls: [{ toolName, input }], usage })
    // by what the conversation has, so that it goes on in another process
    const after = (first) => scriptedModel(
      [(call) => (call.prompt.at(-1).role === 'tool' ? { text: 'Answer: ' + results(call), usage } : first)],
      { repeatLast: true },
    )
    const agent = (id, config) => createAgent({ id, name: id, instructions: 'Help.', resumable: true, ...config })
    const expert = agent('expert', { model: after(calls('weather')), tools: [weather] })
    export default defineConfig({
      prices: { 'scripted/dear': { input: 1000, output: 1000 } },
      agents: [
        agent('asker', { model: after(calls('ask')), tools: [ask] }),
        agent('boss', { model: after(calls('ask_expert', { prompt: 'How is it?' })), subAgents: [expert], forwardParts: 'all' }),
        agent('poor', { model: scriptedModel([{ text: 'Worth it.', usage }], { repeatLast: true, modelId: 'dear' }),
          budgets: [{ per: 'run', usd: 0.01, onLimit: 'ask' }] }),
      ],
    })
  `,
})

beforeAll(() => project.start())
afterAll(() => project.end())

const log = (page: Page) => page.getByRole('log', { name: 'Messages' })
const size = { width: 1024, height: 800 }

async function say(agentId: string, text: string) {
  const opened = await project.browser.open(`agents/${agentId}`, { size })
  await opened.page.getByRole('textbox', { name: 'Message', exact: true }).fill(text)
  await opened.page.keyboard.press('Enter')
  return opened
}

it('a chat shows what the sub-agents of its agent call', async () => {
  const { page, complaints } = await say('boss', 'How is it?')
  await expect.poll(() => log(page).innerText()).toMatch(/weather[\s\S]*Answer: /)
  expect(complaints).toEqual([])
})

it('a chat asks for more than a budget of $0.01, and goes on when it is raised', async () => {
  const { page, complaints } = await say('poor', 'Is it worth it?')
  const form = page.getByRole('group', { name: 'Form of allow' })
  await form.getByText('$0.01').waitFor()
  await form.getByLabel('allowUsd').fill('5')
  await form.getByRole('button', { name: 'Resume' }).click()
  await expect.poll(() => log(page).innerText()).toContain('Worth it.')
  expect(complaints).toEqual([])
})

it('a question in the middle of a tool is answered after the server was killed and the page was loaded again', async () => {
  const { page } = await say('asker', 'Send it')
  const form = page.getByRole('group', { name: 'Form of place' })
  await form.getByText('Where to?').waitFor()
  const url = new URL(page.url())
  await project.restart()
  // the link that the new process prints
  url.hash = `token=${project.read('.agentserver/token').trim()}`
  await page.goto('about:blank')
  await page.goto(url.href)
  await form.getByText('Where to?').waitFor()
  await form.getByLabel('city').fill('Bern')
  await form.getByRole('button', { name: 'Resume' }).click()
  await expect.poll(() => log(page).innerText()).toContain('Answer: "Bern"')
})
