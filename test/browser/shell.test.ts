import { afterEach, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../support/browser/console-project.ts'

const projects: ConsoleProject[] = []

async function served(
  files: Readonly<Record<string, string>> = {},
  ...how: Parameters<ConsoleProject['start']>
): Promise<ConsoleProject> {
  const project = new ConsoleProject(files)
  projects.push(project)
  await project.start(...how)
  return project
}

afterEach(async () => {
  await Promise.all(projects.splice(0).map((project) => project.end()))
})

/** What the browser itself says of answers that are no success. */
const REFUSED = /status of 401|status of 503|status of 404|ERR_CONNECTION|WebSocket connection to/

describe('a broken configuration', () => {
  it('is told on every page with its place and frame, and goes when it is mended', async () => {
    const project = await served()
    const { page, complaints, axe } = await project.browser.open('executions')
    const whole = project.read('agentserver.config.ts')
    project.write({ 'agentserver.config.ts': `${whole}\nexport const broken = {\n` })
    const bar = page.getByRole('alert', { name: 'Broken configuration' })
    await bar.waitFor()
    const text = await bar.innerText()
    expect(text).toContain('SyntaxError')
    expect(text).toMatch(/agentserver\.config\.ts:\d+/)
    expect(text).toMatch(/still serving the version of \d\d:\d\d:\d\d/)
    expect(await axe()).toEqual([])
    project.write({ 'agentserver.config.ts': whole })
    await bar.waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })

  it('is shown also when nothing has been served yet', async () => {
    const project = await served({ 'agentserver.config.ts': 'export default {' })
    const { page, axe } = await project.browser.open('executions', { expected: REFUSED })
    const bar = page.getByRole('alert', { name: 'Broken configuration' })
    await bar.waitFor()
    expect(await bar.innerText()).toContain('agentserver.config.ts')
    expect(await axe()).toEqual([])
    project.write({
      'agentserver.config.ts': `import { defineConfig } from 'agentserver'\nexport default defineConfig({})\n`,
    })
    await bar.waitFor({ state: 'detached' })
    await page.getByText('Nothing has run yet').waitFor()
  })
})

describe('a server that goes away', () => {
  it('is missed with a banner, and found again with nothing lost', async () => {
    const project = await served()
    const { page } = await project.browser.open('executions', { expected: REFUSED })
    await page.getByText('Nothing has run yet').waitFor()
    const { port } = new URL(project.server.url)
    await project.server.kill('SIGTERM')
    await page.getByText('The server does not answer').waitFor()
    const again = await project.serve('dev', { args: ['--port', port] })
    await again.post('/workflows/order/execute', { input: { orderId: 'while away' } })
    await expect.poll(() => page.getByRole('grid').innerText()).toContain('while away')
    await page.getByText('The server does not answer').waitFor({ state: 'detached' })
  })
})

/** A browser in which every handshake fails, as behind proxies that know only HTTP/1.0. */
const NO_WEBSOCKETS = `
  globalThis.WebSocket = class extends EventTarget {
    static OPEN = 1
    readyState = 3
    constructor() {
      super()
      setTimeout(() => this.dispatchEvent(new Event('close')))
    }
    close() {}
    send() {}
  }
`

describe('a network without WebSockets', () => {
  it('is told, and the page asks every second', async () => {
    const project = await served()
    const { page } = await project.browser.open('executions', {
      expected: REFUSED,
      prepare: (context) => context.addInitScript({ content: NO_WEBSOCKETS }),
    })
    await page.getByText('Nothing has run yet').waitFor()
    await page.getByText('asks it every second').waitFor()
    await project.execute('order', { orderId: 'polled' })
    await expect.poll(() => page.getByRole('grid').innerText()).toContain('polled')
  })
})

const SECRET = 'a secret of more than thirty-two bytes'
const GUARDED = {
  'agentserver.config.ts': `
    import { defineConfig, jwtAuth } from 'agentserver'
    import { order } from './src/workflows.ts'
    export default defineConfig({
      workflows: [order],
      authNext: { provider: jwtAuth({ secret: '${SECRET}' }) },
    })
  `,
}

describe('a guarded server', () => {
  it('is open to its developer by the bypass', async () => {
    const project = await served(GUARDED)
    const { page } = await project.browser.open('executions', { expected: REFUSED })
    await page.getByText('Nothing has run yet').waitFor()
    await page.getByText('Live').waitFor()
    expect(await page.getByRole('status', { name: 'Server' }).innerText()).toContain('dev bypass')
  })

  it('asks in production for the console key, and again when it is wrong', async () => {
    const project = await served(GUARDED, 'start', { SERVICE_CONSOLE_ACCESS_KEY: 'right' })
    const { page, axe } = await project.browser.open('executions', { expected: REFUSED })
    const dialog = page.getByRole('dialog', { name: 'Console key' })
    await dialog.waitFor()
    expect(await axe()).toEqual([])
    await dialog.getByLabel('Console key').fill('wrong')
    await dialog.getByRole('button', { name: 'Use it' }).click()
    await dialog.getByText('That key was refused').waitFor()
    await dialog.getByLabel('Console key').fill('right')
    await dialog.getByRole('button', { name: 'Use it' }).click()
    await page.getByText('Nothing has run yet').waitFor()
    await page.getByText('Live').waitFor()
    expect(page.url()).not.toContain('right')
  })
})
