import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { andThen, createAgent, createTool, createWorkflow, defineConfig } from 'agentserver'
    import { scriptedModel } from 'agentserver/testing'
    const look = createTool({
      name: 'look', description: 'Looks', inputSchema: { type: 'object' },
      execute: (_, { logger }) => { logger.info('behind the shelf'); return 'three parcels' },
    })
    const clerk = () => createAgent({
      id: 'clerk', name: 'Clerk', instructions: 'Count.', tools: [look],
      model: scriptedModel([{ toolCalls: [{ toolName: 'look', input: {} }] }, 'There are three.']),
    })
    const chatty = createWorkflow({ id: 'chatty', name: 'Chatty' }).andThen({ id: 'talk', name: 'Talk', execute: ({ logger }) => {
      for (let n = 0; n < 520; n++) logger.info({ n }, 'word ' + n)
      return {}
    } })
    const label = createWorkflow({ id: 'label', name: 'Label' })
      .andThen({ id: 'print', execute: ({ data, logger }) => { logger.info('printing'); return data } })
    export default defineConfig({ agents: [clerk()], workflows: [
      chatty,
      createWorkflow({ id: 'parcel', name: 'Parcel' })
        .andThen({ id: 'price', name: 'Price', retries: { limit: 1, delayMs: 20 }, execute: ({ data, attempt }) => {
          if (attempt === 1) throw new Error('the price service is busy')
          return data
        } })
        .andAgent({ id: 'count', name: 'Count', agent: clerk(), prompt: () => 'How many parcels are there?' })
        .andWorkflow({ id: 'label', name: 'Make the label', workflow: label })
        .andThen({ id: 'load', name: 'Load', execute: ({ logger }) => {
          logger.warn('the van is nearly full')
          throw new RangeError('too heavy')
        } }),
    ] })
  `,
})
let id = ''
let answer = ''
beforeAll(async () => {
  await project.start()
  id = await project.execute('parcel', { to: 'home' })
  const { data } = await project.server.post('/agents/clerk/text', { input: 'How many?' })
  answer = (data as { id: string }).id
})
afterAll(() => project.end())

const row = (page: Page, name: RegExp) =>
  page.getByRole('tree', { name: 'Steps over time' }).getByRole('treeitem', { name })
const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

describe.each([
  ['light', 1280],
  ['dark', 390],
] as const)('the page of a run, %s, %i px', (theme, width) => {
  it('has one tree with the calls, attempts, child runs and log records of each step', async () => {
    const size = { width, height: 1000 }
    const { page, axe, complaints } = await project.browser.open(`executions/${id}`, { theme, size })
    await row(page, /look/).waitFor()
    const levels = async (name: RegExp) => row(page, name).first().getAttribute('aria-level')
    expect(await levels(/^Count/)).toBe('1')
    expect(await levels(/^Clerk/)).toBe('2')
    expect(await levels(/^look/)).toBe('3')
    expect(await levels(/behind the shelf/)).toBe('4')
    expect(await levels(/^Attempt 1/)).toBe('2')
    expect(await levels(/^Label/)).toBe('2')
    expect(await levels(/^print/)).toBe('3')
    expect(await row(page, /invoke_|execute_tool|^step /).count()).toBe(0)
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })

  it('shows the run, then what is selected in the tree, then the run again', async () => {
    const size = { width, height: 1000 }
    const { page, axe, complaints } = await project.browser.open(`executions/${id}`, { theme, size })
    const run = panel(page, 'Run')
    await run.getByRole('heading', { name: 'RangeError: too heavy' }).waitFor()
    await run.getByRole('tree', { name: 'Input' }).getByText('"home"').waitFor()
    await row(page, /^look/).click()
    await panel(page, 'look').getByText('three parcels').first().waitFor()
    expect(await run.count()).toBe(0)
    expect(await axe()).toEqual([])
    await row(page, /behind the shelf/).click()
    await panel(page, 'Log record, info').getByText('behind the shelf').waitFor()
    expect(await axe()).toEqual([])
    await row(page, /^Count/).click()
    await panel(page, 'Count').getByText('How many parcels are there?').waitFor()
    await page.keyboard.press('Escape')
    await run.waitFor()
    expect(complaints).toEqual([])
  })
})

/** Counts in `window.changes` how often the page changes its address. */
const COUNT_CHANGES = `
  window.changes = 0
  for (const name of ['pushState', 'replaceState']) {
    const change = history[name].bind(history)
    history[name] = (...given) => { window.changes++; change(...given) }
  }
`

describe('the tree of a run', () => {
  it('is searched, and filtered by errors, with the ancestors of what is found', async () => {
    const { page, axe } = await project.browser.open(`executions/${id}`)
    await row(page, /look/).waitFor()
    await page.getByLabel('Only errors').check()
    await expect.poll(() => row(page, /look/).count()).toBe(0)
    expect(await row(page, /Attempt 1/).count()).toBe(1)
    expect(await row(page, /^Load/).count()).toBe(1)
    expect(await row(page, /^Make the label/).count()).toBe(0)
    expect(await axe()).toEqual([])
    await page.getByLabel('Only errors').uncheck()
    await page.getByLabel('Search steps').fill('shelf')
    await expect.poll(() => row(page, /./).count()).toBe(4)
    expect(await row(page, /^Clerk/).count()).toBe(1)
    expect(await row(page, /^Price/).count()).toBe(0)
  })

  it('says which log records it leaves out, and links to them', async () => {
    const chatty = await project.execute('chatty', {})
    const { page, axe, complaints } = await project.browser.open(`executions/${chatty}`)
    await page.getByText('Newest 500 log records shown.').waitFor()
    await row(page, /^450 earlier log records/).waitFor()
    expect(await row(page, /^word/).count()).toBeLessThanOrEqual(50)
    await row(page, /^word 470/).waitFor()
    expect(await row(page, /^word 469/).count()).toBe(0)
    expect(await axe()).toEqual([])
    await row(page, /^450 earlier/)
      .getByRole('link', { name: 'Show in Logs' })
      .click()
    await page
      .getByRole('grid', { name: 'Logs' })
      .getByText(/^word \d+ n=\d+/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Load older' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('follows a held arrow key, with one change of the address at its end', async () => {
    const { page } = await project.browser.open(`executions/${id}`)
    await row(page, /look/).waitFor()
    await page.evaluate(COUNT_CHANGES)
    await page.getByRole('tree', { name: 'Steps over time' }).focus()
    for (const key of Array.from({ length: 20 }, () => ['ArrowDown', 'ArrowUp']).flat())
      await page.keyboard.down(key)
    await page.keyboard.press('Home')
    await panel(page, 'Price').waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('step')).toBe('price')
    expect(await page.evaluate('window.changes')).toBeLessThan(10)
  })

  it('keeps its selection as a graph', async () => {
    const { page } = await project.browser.open(`executions/${id}`)
    await row(page, /^Count/).click()
    await page.getByRole('button', { name: 'Graph', exact: true }).click()
    await page.getByRole('treeitem', { name: /Count/, selected: true }).waitFor()
    await panel(page, 'Count').waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('step')).toBe('count')
  })
})

it('a trace is shown in the words of runs, with the run beside its tree', async () => {
  const { data } = await project.server.get(`/observability/executions/${id}`)
  const { page, axe, complaints } = await project.browser.open(`traces/${data.metadata.traceId}`)
  await page.getByRole('heading', { level: 1, name: 'Parcel' }).waitFor()
  const run = panel(page, 'Run')
  await run.getByText('too heavy').first().waitFor()
  await run.getByRole('link', { name: id }).waitFor()
  expect(await page.locator('main').innerText()).not.toMatch(/invoke_|execute_tool/)
  expect(await axe()).toEqual([])
  expect(complaints).toEqual([])
})

it.each([
  ['light', 1280],
  ['dark', 390],
] as const)('an answer of an agent has the same tree, %s, %i px', async (theme, width) => {
  const size = { width, height: 1000 }
  const { page, axe, complaints } = await project.browser.open(`agents/clerk?tab=history&run=${answer}`, {
    theme,
    size,
  })
  const calls = page.getByRole('tree', { name: 'Calls over time' }).getByRole('treeitem')
  await calls.filter({ hasText: 'Clerk' }).first().waitFor()
  await calls.filter({ hasText: 'look' }).click()
  await panel(page, 'look').getByText('three parcels').first().waitFor()
  expect(await axe()).toEqual([])
  expect(complaints).toEqual([])
})
