import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { andThen, createAgent, createTool, createWorkflow, defineConfig } from 'agentserver'
    import { z } from 'zod'
    const lookup = createTool({ name: 'lookup', description: 'Finds', inputSchema: z.object({}), execute: () => ({}) })
    const desk = createAgent({ id: 'desk', name: 'Desk', description: 'Helps', instructions: 'Help', tools: [lookup] })
    let release
    const held = new Promise((done) => { release = done })
    const greeter = createAgent({ id: 'greeter', name: 'Greeter', instructions: 'Greet', subAgents: [desk] })
    const child = createWorkflow({ id: 'child', name: 'Child' }).andThen({ id: 'do', execute: () => ({}) })
    const parent = createWorkflow({ id: 'parent', name: 'Parent' })
      .andWhen({ id: 'if', condition: () => true, step: andThen({ id: 'x', execute: () => ({}) }) })
      .andWorkflow({ id: 'sub', workflow: child })
    const order = createWorkflow({ id: 'order', name: 'Order' })
      .andThen({ id: 'hold', execute: () => held.then(() => ({})) })
      .andAgent({ id: 'write', agent: desk, prompt: () => 'Write to the customer' })
    const free = createWorkflow({ id: 'free', name: 'Free' }).andThen({ id: 'go', execute: () => { release(); return {} } })
    const broken = createWorkflow({ id: 'broken', name: 'Broken' })
      .andThen({ id: 'fail', execute: () => { throw new Error('no connection') } })
    export default defineConfig({ workflows: [order, free, broken, parent, child], agents: [desk, greeter], tools: [lookup] })
  `,
})
beforeAll(() => project.start())
afterAll(() => project.end())

describe('the live map of Home', () => {
  it('shows calls while they run, tokens, errors and the same as a list', async () => {
    const { page, axe, complaints } = await project.browser.open('', { theme: 'dark' })
    const map = page.getByRole('region', { name: 'Live map' })
    const list = map.getByRole('list', { name: 'Calls' })
    await expect.poll(() => list.innerText()).toContain('agent:desk calls tool:lookup')
    // what the code declares, before anything has run
    for (const call of [
      'workflow:order calls agent:desk',
      'workflow:parent calls workflow:child',
      'agent:greeter calls agent:desk',
    ])
      expect(await list.innerText()).toContain(call)
    await page.getByText('Live', { exact: true }).waitFor()
    const running = project.execute('order', {})
    const node = (id: string) => map.locator(`[data-node="${id}"]`)
    const order = node('workflow:order')
    await expect.poll(() => order.innerText()).toMatch(/1\s+running/)
    // also on a page that was opened later; a click is the run
    const { page: later } = await project.browser.open('')
    const run = later.locator('[data-node="workflow:order"]').getByRole('link', { name: '1 running' })
    await run.click()
    await later.waitForURL(/executions\/[0-9a-f-]{36}/)
    await project.execute('free', {})
    await running
    await expect.poll(() => node('agent:desk').innerText()).toMatch(/\d+ tokens/)
    await expect.poll(() => order.innerText()).not.toContain('running')
    expect(await list.innerText()).toContain('workflow:order calls agent:desk')
    await project.execute('broken', {})
    await expect.poll(() => node('workflow:broken').innerText()).toContain('no connection')
    // the figures of what has run
    await expect.poll(() => node('workflow:broken').innerText()).toMatch(/100 %\s+failed/)
    await expect.poll(() => node('workflow:free').innerText()).toMatch(/p50\s+(?:< 1|\d+) ms/)
    expect(await node('workflow:parent').innerText()).toContain('no runs yet')
    // all figures of a node fit on one line here
    expect(await page.locator('[data-figures]').count()).toBeGreaterThan(3)
    const hidden = await page.evaluate(`[...document.querySelectorAll('[data-figures]')]
      .filter((line) => line.scrollHeight > line.clientHeight).map((line) => line.innerText)`)
    expect(hidden).toEqual([])
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })

  it('moves runs along their lines, and a click on one opens it', async () => {
    const { page } = await project.browser.open('')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.locator('[data-edge]').first().waitFor({ state: 'attached' })
    // slow enough for a click
    const session = await page.context().newCDPSession(page)
    await session.send('Animation.enable')
    await session.send('Animation.setPlaybackRate', { playbackRate: 0.02 })
    const executionId = await project.execute('order', {})
    const run = page.locator(`[data-run="executions/${executionId}"]`).first()
    await run.waitFor({ state: 'attached' })
    // it moves: what is at its place is clicked, without waiting until it stands still
    await run.click({ force: true })
    await expect.poll(() => page.url()).toContain(executionId)
  })

  it.each([1440, 1024, 390])('its lines touch the nodes, %i px', async (width) => {
    const { page } = await project.browser.open('', { size: { width, height: 900 } })
    const map = page.getByRole('region', { name: 'Map', exact: true })
    await map.locator('[data-edge]').first().waitFor({ state: 'attached' })
    const gaps = await page.evaluate<Record<string, number[]>>(`(() => {
      const box = (id) => document.querySelector('[data-node="' + id + '"] > div').getBoundingClientRect()
      return Object.fromEntries([...document.querySelectorAll('[data-edge]')].map((path) => {
        const [from, to] = path.dataset.edge.split(' ')
        const at = (length) => path.getPointAtLength(length).matrixTransform(path.getScreenCTM())
        const start = at(0), end = at(path.getTotalLength()), a = box(from), b = box(to)
        return [path.dataset.edge, [
          Math.abs(start.x - a.right), Math.abs(start.y - (a.top + a.bottom) / 2),
          Math.min(Math.abs(end.x - b.left), Math.abs(end.x - b.right)), Math.abs(end.y - (b.top + b.bottom) / 2),
        ]]
      }))
    })()`)
    expect(Object.keys(gaps)).toContain('agent:desk tool:lookup')
    expect(Math.max(...Object.values(gaps).flat())).toBeLessThan(1.5)
  })
})
