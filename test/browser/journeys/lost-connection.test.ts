import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleBrowser } from '../../support/browser/console-browser.ts'
import { ConsoleProject } from '../../support/browser/console-project.ts'
import { prefixProxy } from '../../support/browser/prefix-proxy.ts'
import type { PrefixProxy } from '../../support/browser/prefix-proxy.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { createWorkflow, defineConfig } from 'agentserver'
    import { z } from 'zod'
    let release = () => {}
    const held = createWorkflow({ id: 'held', name: 'Held' })
      .andThen({ id: 'wait', execute: ({ logger }) => {
        logger.info('began to wait')
        return new Promise((done) => { release = done })
      } })
      .andThen({ id: 'end', execute: ({ logger }) => { logger.info('went on'); return { ended: true } } })
    const free = createWorkflow({ id: 'free', name: 'Free' }).andThen({ id: 'go', execute: () => { release(); return {} } })
    const asked = createWorkflow({ id: 'asked', name: 'Asked' })
      .andThen({
        id: 'ask', resumeSchema: z.object({ colour: z.string() }),
        execute: ({ resumeData, suspend }) => resumeData ?? suspend('Which colour?'),
      })
    export default defineConfig({ workflows: [held, free, asked] })
  `,
})
let proxy: PrefixProxy
let browser: ConsoleBrowser
beforeAll(async () => {
  await project.start()
  proxy = await prefixProxy(project.server.url, '/proxied')
  browser = await ConsoleBrowser.launch(proxy.url, '/proxied')
})
afterEach(() => proxy.restore())
afterAll(async () => {
  await browser.close()
  proxy.close()
  await project.end()
})

const open = async (address: string) => (await browser.open(address, { expected: /./ })).page
/** Starts an execution that runs until `free` is executed, and returns its id. */
const startHeld = async () => {
  const { data } = await project.server.post(
    '/workflows/held/execute',
    { input: {} },
    { Prefer: 'respond-async' },
  )
  return data.executionId as string
}

describe('a lost connection', () => {
  it('leaves no gap on pages that show an execution, its log and its trace', async () => {
    const map = await open('')
    await map.getByText('Live', { exact: true }).waitFor()
    const id = await startHeld()
    const list = await open('executions')
    const execution = await open(`executions/${id}`)
    const log = await open('logs')
    const traces = await open('traces')
    await list.getByRole('row', { name: /running.*Held/ }).waitFor()
    await execution.getByRole('treeitem', { name: /^wait/ }).waitFor()
    await log.getByText('began to wait').waitFor()
    for (const page of [list, execution, log, map]) await page.getByText('Live', { exact: true }).waitFor()
    proxy.cut()
    await list.getByText('The server is not responding').waitFor()
    await project.execute('free', {})
    await expect
      .poll(async () => (await project.server.get(`/observability/executions/${id}`)).data.status)
      .toBe('completed')
    proxy.restore()
    await list.getByRole('row', { name: /completed.*Held/ }).waitFor()
    await list.getByRole('row', { name: /completed.*Free/ }).waitFor()
    expect(await list.getByRole('row', { name: /Held/ }).count()).toBe(1)
    await execution.getByRole('treeitem', { name: /^end\b/ }).waitFor()
    await execution.locator('h1').locator('..').getByText('completed').waitFor()
    await log.getByText('went on').waitFor()
    expect(await log.getByText('began to wait').count()).toBe(1)
    expect(await log.getByText('went on').count()).toBe(1)
    await traces.getByRole('row', { name: /free/i }).waitFor()
    await expect
      .poll(() => map.getByRole('region', { name: 'Live map' }).innerText())
      .not.toMatch(/Held\s+1\s+running/)
    for (const page of [list, execution, log, traces, map])
      expect(await page.getByText('The server is not responding').count()).toBe(0)
  })

  it('in the middle of a run is told, and the run is shown to its end', async () => {
    const page = await open('workflows/held')
    const run = page.getByRole('region', { name: 'Run', exact: true })
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await run.getByText('running').first().waitFor()
    proxy.cut()
    await page.getByText('The server is not responding').waitFor()
    await project.execute('free', {})
    proxy.restore()
    await run.getByText('completed').first().waitFor()
    expect(await page.getByText('The server is not responding').count()).toBe(0)
  })
})

describe('two tabs', () => {
  it('show what the other did with an execution: resumed here, the form is gone there', async () => {
    const id = await project.execute('asked', {})
    const [here, there] = [await open(`executions/${id}`), await open(`executions/${id}`)]
    const inbox = await open('inbox')
    const asked = inbox
      .getByRole('list', { name: 'Decisions' })
      .getByRole('heading', { name: /Which colour/ })
    await expect.poll(() => asked.count()).toBeGreaterThan(0)
    const before = await asked.count()
    for (const page of [here, there]) await page.getByRole('button', { name: /^Resume/ }).waitFor()
    await here.getByRole('textbox', { name: 'colour' }).fill('red')
    await here.getByRole('button', { name: /^Resume/ }).click()
    for (const page of [here, there]) {
      await page.locator('h1').locator('..').getByText('completed').waitFor()
      expect(await page.getByRole('button', { name: /^Resume/ }).count()).toBe(0)
    }
    await expect.poll(() => asked.count()).toBe(before - 1)
  })
})
