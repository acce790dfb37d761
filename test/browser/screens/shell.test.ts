import type { Request } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const projects: ConsoleProject[] = []

async function served(
  files: Readonly<Record<string, string>> = {},
  ...options: Parameters<ConsoleProject['start']>
): Promise<ConsoleProject> {
  const project = new ConsoleProject(files)
  projects.push(project)
  await project.start(...options)
  return project
}

afterEach(async () => {
  await Promise.all(projects.splice(0).map((project) => project.end()))
})

/** Console messages of the browser for failed requests. */
const REFUSED = /status of 401|status of 503|status of 404|ERR_CONNECTION|WebSocket connection to/

describe('a configuration error', () => {
  it('is shown on every page with location and code frame until it is fixed', async () => {
    const project = await served()
    const { page, complaints, axe } = await project.browser.open('executions')
    const whole = project.read('agentserver.config.ts')
    project.write({ 'agentserver.config.ts': `${whole}\nexport const broken = {\n` })
    const bar = page.getByRole('alert', { name: 'Configuration error' })
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

  it('is shown when the first load fails', async () => {
    const project = await served({ 'agentserver.config.ts': 'export default {' })
    const { page, axe } = await project.browser.open('executions', { expected: REFUSED })
    const bar = page.getByRole('alert', { name: 'Configuration error' })
    await bar.waitFor()
    expect(await bar.innerText()).toContain('agentserver.config.ts')
    expect(await axe()).toEqual([])
    project.write({
      'agentserver.config.ts': `import { defineConfig } from 'agentserver'\nexport default defineConfig({})\n`,
    })
    await bar.waitFor({ state: 'detached' })
    await page.getByText('No runs yet').waitFor()
  })
})

describe('a server restart', () => {
  it('shows a banner, and resyncs without losing executions', async () => {
    const project = await served()
    const { page } = await project.browser.open('executions', { expected: REFUSED })
    await page.getByText('No runs yet').waitFor()
    const { port } = new URL(project.server.url)
    await project.server.kill('SIGTERM')
    await page.getByText('The server is not responding').waitFor()
    const again = await project.serve('dev', { args: ['--port', port] })
    await again.post('/workflows/order/execute', { input: { orderId: 'while away' } })
    await expect.poll(() => page.getByRole('grid').innerText()).toContain('while away')
    await page.getByText('The server is not responding').waitFor({ state: 'detached' })
  })
})

/** A WebSocket whose handshake always fails, as behind proxies that only support HTTP/1.0. */
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
  it('shows a banner, and the page polls every second', async () => {
    const project = await served()
    const { page } = await project.browser.open('executions', {
      expected: REFUSED,
      prepare: (context) => context.addInitScript({ content: NO_WEBSOCKETS }),
    })
    await page.getByText('No runs yet').waitFor()
    await page.getByText('polls the server every second').waitFor()
    await project.execute('order', { orderId: 'polled' })
    await expect.poll(() => page.getByRole('grid').innerText()).toContain('polled')
  })
})

describe('a page that has its data before it is connected', () => {
  it('shows what happened in between', async () => {
    const project = await served()
    const connected = createDeferred<void>()
    const { page } = await project.browser.open('executions', {
      prepare: (context) =>
        context.routeWebSocket(/.*/, async (socket) => {
          await connected.promise
          socket.connectToServer()
        }),
    })
    await page.getByText('No runs yet').waitFor()
    await project.execute('order', { orderId: 'before' })
    connected.resolve()
    await expect.poll(() => page.getByRole('grid').innerText()).toContain('before')
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

const usesBypass = (request: Request) => request.headers()['x-service-dev'] === 'true'

describe('a server with auth', () => {
  it('is accessible in development by the bypass', async () => {
    const project = await served(GUARDED)
    const { page } = await project.browser.open('executions', { expected: REFUSED })
    await page.getByText('No runs yet').waitFor()
    await page.getByText('Live').waitFor()
    expect(await page.getByRole('status', { name: 'Server' }).innerText()).toContain('dev bypass')
  })

  it('does not prompt for the key when a request is refused after the bypass was found', async () => {
    const project = await served(GUARDED)
    const [found, repeated] = [createDeferred<void>(), createDeferred<void>()]
    const { page } = await project.browser.open('executions', {
      expected: REFUSED,
      prepare: async (context) => {
        await context.route(/\/observability\/activity/, async (route) => {
          if (usesBypass(route.request())) return route.continue()
          const response = await route.fetch()
          await found.promise
          await route.fulfill({ response })
        })
        context.on('response', (response) => {
          if (!usesBypass(response.request()) || !response.ok()) return
          if (response.url().includes('/observability/activity')) repeated.resolve()
          else found.resolve()
        })
      },
    })
    await repeated.promise
    await page.getByText('No runs yet').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  it('prompts for the console key in production, and again after a wrong one', async () => {
    const project = await served(GUARDED, 'start', { SERVICE_CONSOLE_ACCESS_KEY: 'right' })
    const { page, axe } = await project.browser.open('executions', { expected: REFUSED })
    const dialog = page.getByRole('dialog', { name: 'Console key' })
    await dialog.waitFor()
    expect(await axe()).toEqual([])
    await dialog.getByLabel('Console key').fill('wrong')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByText('The key was not accepted').waitFor()
    await dialog.getByLabel('Console key').fill('right')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('No runs yet').waitFor()
    await page.getByText('Live').waitFor()
    expect(page.url()).not.toContain('right')
  })
})
