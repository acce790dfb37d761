import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const CONFIG = `
import { defineConfig } from 'agentserver'
export default defineConfig({})
`

const project = new ConsoleProject({ 'agentserver.config.ts': CONFIG })

beforeAll(() => project.start())
afterAll(() => project.end())

/** Screens with their empty state and a part of its code. */
const SCREENS = [
  ['', 'No workflows or agents yet', 'createWorkflow('],
  ['workflows', 'No workflows yet', 'createWorkflow('],
  ['agents', 'No agents yet', 'createAgent('],
  ['tools', 'No tools yet', 'createTool('],
  ['executions', 'No runs yet', 'npx agentserver run-workflow'],
  ['schedules', 'No schedules yet', 'createSchedule('],
  ['inbox', 'Nothing needs a decision', 'suspend('],
  ['inbox?tab=failed', 'No failures', 'npx agentserver failures'],
  ['inbox?tab=sleeping', 'No run sleeps', 'Sleep'],
  ['inbox?tab=queued', 'No workflow has limits', 'concurrency'],
  ['events', 'No events received', 'npx agentserver send-event'],
  ['traces', 'No requests yet', 'npx agentserver run-workflow'],
  ['evals', 'No cases yet', '"target"'],
  ['mcp', 'No MCP servers yet', 'mcp'],
  ['search', 'Enter words or filters', 'status:failed'],
  ['machines', 'One machine', 'agentserver'],
] as const

describe('the console of an empty project', () => {
  it('says on each screen what it shows, with code to copy', async () => {
    const { page, complaints, axe } = await project.browser.open('')
    const missing: string[] = []
    const base = page.url()
    for (const [path, title, code] of SCREENS) {
      await page.goto(new URL(path, base).href)
      const state = page.locator('main section', { has: page.getByRole('heading', { name: title }) }).last()
      const text = await state.innerText({ timeout: 8000 }).catch(() => 'no empty state')
      const copies = await state.getByRole('button', { name: 'Copy code' }).count()
      if (copies !== 1 || !text.includes(code)) missing.push(`${path}: ${text}`)
    }
    expect(missing).toEqual([])
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  }, 120_000)

  it('names a command when no machine has reported', async () => {
    const { page } = await project.browser.open('machines', {
      prepare: (context) =>
        context.route(/\/machines(\?|$)/, (route) =>
          route.request().resourceType() === 'fetch'
            ? route.fulfill({ json: { success: true, data: [] } })
            : route.continue(),
        ),
    })
    await page.getByText('No machine has reported yet').waitFor()
    expect(await page.getByRole('group', { name: 'Code' }).innerText()).toContain('npx agentserver start')
  })
})

describe('the console of a project in which nothing has run', () => {
  const idle = new ConsoleProject({
    'agentserver.config.ts': `
      import { createWorkflow, defineConfig } from 'agentserver'
      import { z } from 'zod'
      const order = z.object({ orderId: z.string().regex(/^A-/) })
      const flow = (id, inputSchema) => createWorkflow({ id, name: id, inputSchema }).andThen({ id: 'echo', execute: ({ data }) => data })
      export default defineConfig({ workflows: [
        flow('shown', order.meta({ examples: [{ orderId: "A-1" }] })),
        flow('required', order),
        flow('empty', z.object({ note: z.string().optional() })),
        createWorkflow({ id: 'free', name: 'free' }).andThen({ id: 'echo', execute: ({ data }) => data }),
      ] })
    `,
  })
  beforeAll(() => idle.start())
  afterAll(() => idle.end())

  it('shows only commands that run', async () => {
    const { page } = await idle.browser.open('')
    const overview = page.locator('main section', { has: page.getByText('No runs yet') }).last()
    const shown = (await overview.getByRole('group', { name: 'Code' }).innerText()).trim()
    expect(shown).toBe(`npx agentserver run-workflow shown --input '{"orderId":"A-1"}'`)
    const codes: Record<string, string> = {}
    for (const id of ['shown', 'required', 'empty', 'free']) {
      await page.goto(new URL(`/console/workflows/${id}?tab=runs`, page.url()).href)
      const empty = page
        .locator('main section', { has: page.getByRole('heading', { name: 'No runs yet' }) })
        .last()
      await empty.waitFor()
      codes[id] = (await empty.getByRole('group', { name: 'Code' }).allInnerTexts()).join().trim()
    }
    expect(codes).toEqual({
      shown,
      required: '',
      empty: `npx agentserver run-workflow empty --input '{}'`,
      free: `npx agentserver run-workflow free --input '{}'`,
    })
    for (const code of Object.values(codes).filter((text) => text !== '')) {
      const [, id = '', input = ''] = /run-workflow (\S+) --input '(.*)'$/.exec(code) ?? []
      const response = await fetch(new URL(`/workflows/${id}/execute`, page.url()), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ input: JSON.parse(input) }),
      })
      expect(response.status).toBe(200)
    }
  })
})
