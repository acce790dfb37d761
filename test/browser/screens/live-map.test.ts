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
    const order = createWorkflow({ id: 'order', name: 'Order' })
      .andThen({ id: 'hold', execute: () => held.then(() => ({})) })
      .andAgent({ id: 'write', agent: desk, prompt: () => 'Write to the customer' })
    const free = createWorkflow({ id: 'free', name: 'Free' }).andThen({ id: 'go', execute: () => { release(); return {} } })
    const broken = createWorkflow({ id: 'broken', name: 'Broken' })
      .andThen({ id: 'fail', execute: () => { throw new Error('no connection') } })
    export default defineConfig({ workflows: [order, free, broken], agents: [desk], tools: [lookup] })
  `,
})
beforeAll(() => project.start())
afterAll(() => project.end())

describe('the live map of the overview', () => {
  it('shows calls while they run, tokens, errors and the same as a list', async () => {
    const { page, axe, complaints } = await project.browser.open('', { theme: 'dark' })
    const map = page.getByRole('region', { name: 'Live map' })
    const list = map.getByRole('list', { name: 'Calls' })
    await expect.poll(() => list.innerText()).toContain('agent:desk calls tool:lookup')
    await page.getByText('Live', { exact: true }).waitFor()
    const running = project.execute('order', {})
    const order = map.getByRole('link', { name: /^Order/ })
    await expect.poll(() => order.innerText()).toMatch(/1\s+running/)
    await project.execute('free', {})
    await running
    await expect.poll(() => map.getByRole('link', { name: /^Desk/ }).innerText()).toMatch(/\d+ tokens/)
    await expect.poll(() => order.innerText()).not.toContain('running')
    expect(await list.innerText()).toContain('workflow:order calls agent:desk')
    await project.execute('broken', {})
    await expect.poll(() => map.getByRole('link', { name: /^Broken/ }).innerText()).toContain('no connection')
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })
})
