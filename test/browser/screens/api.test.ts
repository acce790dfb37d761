import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { defineConfig } from 'agentserver'
    import { broken, order, slow } from './src/workflows.ts'
    const ticks = () => new ReadableStream({
      async start(controller) {
        for (let n = 1; n < 10_000; n++) {
          controller.enqueue(new TextEncoder().encode('id: ' + n + '\\ndata: {"type":"tick","n":' + n + '}\\n\\n'))
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
      },
    })
    export default defineConfig({
      workflows: [order, broken, slow],
      configureApp: (app) => {
        app.get('/ticks', () => new Response(ticks(), { headers: { 'Content-Type': 'text/event-stream' } }))
        app.put('/things/:id', async (c) => c.json({ id: c.req.param('id'), sent: await c.req.text(), said: c.req.header('x-said') }))
        app.get('/page', (c) => c.html('<h1>Hi</h1><script>globalThis.harm = 1</script><img src="https://evil.example/x.png">'))
        app.get('/large', (c) => c.json({ text: '<b>' + 'x'.repeat(1_000_000), list: Array.from({ length: 5000 }, (_, n) => n) }))
      },
      webSockets: { '/ws/mine': () => {} },
    })
  `,
})
const REFUSED = /status of 4\d\d/

beforeAll(() => project.start())
afterAll(() => project.end())

describe('the API explorer', () => {
  it('shows the events of a stream as they are sent, and cancels it', async () => {
    const { page, complaints, axe } = await project.browser.open('api?operation=GET+/ticks', {
      theme: 'dark',
    })
    await page.getByRole('button', { name: 'Send' }).click()
    const events = page.getByRole('log', { name: 'Events' })
    await events.getByRole('button').nth(2).waitFor()
    const response = page.getByRole('region', { name: 'Response' })
    await response.getByText('streaming').waitFor()
    const before = await events.getByRole('button').count()
    await expect.poll(() => events.getByRole('button').count()).toBeGreaterThan(before)
    expect(await axe()).toEqual([])
    await page.keyboard.press('Escape')
    await response.getByText('cancelled').waitFor()
    const after = await events.getByRole('button').count()
    await events.getByRole('button').first().click()
    await events.getByRole('tree', { name: 'Event 1' }).getByText('"tick"').waitFor()
    await page.waitForTimeout(200)
    expect(await events.getByRole('button', { expanded: false }).count()).toBe(after - 1)
    expect(complaints).toEqual([])
  })

  it('streams an execution with a form made from the API description', async () => {
    const { page } = await project.browser.open('api')
    await page.getByLabel('Search endpoints').fill('streamWorkflow')
    const list = page.getByRole('navigation', { name: 'Endpoints' })
    await expect.poll(() => list.getByRole('link').count()).toBe(1)
    await list.getByRole('link').click()
    await page.getByRole('region', { name: 'Path' }).getByLabel('id').fill('order')
    await page.getByRole('button', { name: 'JSON', exact: true }).click()
    const body = page.getByRole('textbox', { name: 'Body' })
    await body.fill('{"input":{"orderId":"from the explorer"}}')
    await page.keyboard.press('Control+Enter')
    const events = page.getByRole('log', { name: 'Events' })
    await events.getByText('workflow-result', { exact: true }).waitFor()
    expect(new URL(page.url()).searchParams.get('operation')).toBe('streamWorkflow')
    await page.getByRole('button', { name: 'client', exact: true }).click()
    const code = await page.getByRole('group', { name: 'Code', exact: true }).innerText()
    expect(code).toContain('for await (const event of client.streamWorkflow({')
    expect(code).toContain('"orderId": "from the explorer"')
  })

  it('shows a validation error at its field, and the response with status, headers and time', async () => {
    const { page } = await project.browser.open('api?operation=observeExecutions', { expected: REFUSED })
    const limit = page.getByRole('region', { name: 'Query' }).getByLabel('limit')
    await limit.fill('many')
    await page.keyboard.press('Control+Enter')
    const response = page.getByRole('region', { name: 'Response' })
    await response.getByText('400 Bad Request').waitFor()
    await expect.poll(() => limit.getAttribute('aria-invalid')).toBe('true')
    await limit.fill('1')
    await page.keyboard.press('Control+Enter')
    await response.getByText('200 OK').waitFor()
    await response.getByText(/^\d+ headers$/).click()
    expect(await response.innerText()).toMatch(/x-total-count[\s\S]*success:/)
    await page.getByText('curl -sN').waitFor()
    expect(await page.getByRole('group', { name: 'Code', exact: true }).innerText()).toContain('?limit=1')
  })

  it('sends path, query, headers and body to custom routes', async () => {
    const { page } = await project.browser.open('api?operation=PUT+/things/{id}')
    await page.getByLabel('id').fill('a/b')
    await page.getByLabel('Query string').fill('deep=1')
    await page.getByLabel('Body').fill('{"n":1}')
    await page.getByText('More headers').click()
    await page.getByLabel('Headers', { exact: true }).fill('x-said: hello')
    await page.keyboard.press('Control+Enter')
    const response = page.getByRole('tree', { name: 'Response' })
    await response.waitFor()
    expect((await response.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /id: "a\/b" .*sent: "\{\\"n\\":1\}".* said: "hello"/,
    )
  })

  it('shows HTML and large responses as text', async () => {
    for (const [path, wanted] of [
      ['/page', '<script>'],
      ['/large', 'more characters of 999503'],
    ] as const) {
      const { page, complaints, axe } = await project.browser.open(`api?operation=GET+${path}`)
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('region', { name: 'Response' }).getByText(wanted).first().waitFor()
      expect(await page.evaluate('globalThis.harm')).toBeUndefined()
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
      expect(await axe()).toEqual([])
      expect(complaints).toEqual([])
    }
  })

  it('is operated by keyboard', async () => {
    const { page } = await project.browser.open('api?q=/agents')
    await page.getByRole('navigation', { name: 'Endpoints' }).getByText('/history').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await expect.poll(() => new URL(page.url()).searchParams.get('operation')).toBe('getAgent')
    await page.keyboard.press('k')
    await expect.poll(() => new URL(page.url()).searchParams.get('operation')).toBe('listAgents')
    await page.keyboard.press('f')
    await page.keyboard.type(' zebra')
    await page.getByText('No endpoints match these filters').waitFor()
    expect(await page.getByRole('heading', { name: 'GET /agents' }).count()).toBe(1)
  })
})

describe.each(['light', 'dark'] as const)('the API explorer, %s', (theme) => {
  it('has no accessibility or CSP violations', async () => {
    const size = theme === 'dark' ? { width: 1024, height: 700 } : { width: 1440, height: 900 }
    for (const [address, wanted] of [
      ['api', 'Select an endpoint'],
      ['api?operation=chat', 'The conversation'],
      ['api?operation=WS+/ws/mine', 'new WebSocket('],
      ['api?operation=none', 'none not found'],
    ] as const) {
      const { page, complaints, axe } = await project.browser.open(address, { theme, size })
      await page.getByText(wanted).first().waitFor()
      expect([address, await axe()]).toEqual([address, []])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
      expect(complaints).toEqual([])
    }
  })
})

describe('the API explorer in production', () => {
  it('prompts for the token of a user route, and shows the 401 response without one', async () => {
    const guarded = new ConsoleProject({
      'agentserver.config.ts': `
        import { defineConfig, jwtAuth } from 'agentserver'
        import { order } from './src/workflows.ts'
        const provider = jwtAuth({ secret: 'a secret of more than thirty-two bytes' })
        export default defineConfig({ workflows: [order], authNext: { provider } })
      `,
    })
    try {
      await guarded.start('start', { SERVICE_CONSOLE_ACCESS_KEY: 'right' })
      const { page, axe } = await guarded.browser.open('api?operation=executeWorkflow', {
        expected: REFUSED,
        prepare: (context) =>
          context.addInitScript({ content: `sessionStorage.setItem('agentserver.console-key', 'right')` }),
      })
      await page.getByRole('region', { name: 'Path' }).getByLabel('id').fill('order')
      await page.getByRole('button', { name: 'Send' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.waitFor()
      expect(await axe()).toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole('region', { name: 'Response' }).getByText('401 Unauthorized').waitFor()
      expect(await page.locator('main').innerText()).not.toContain('right')
    } finally {
      await guarded.end()
    }
  })
})

describe('Swagger UI', () => {
  it('opens the description of the API without a warning', async () => {
    const { page, complaints } = await project.browser.open('')
    await page.goto(new URL('/ui', page.url()).href)
    const executing = page.locator('.opblock-summary', { hasText: '/workflows/{id}/execute' }).first()
    await executing.waitFor()
    expect(await page.locator('.errors-wrapper, .openapi-dialect, .warning').allInnerTexts()).toEqual([])
    expect(await page.getByText(/dialect|not supported|Unable to render/i).allInnerTexts()).toEqual([])
    await executing.click()
    await page.locator('.opblock-body', { hasText: 'Request body' }).first().waitFor()
    expect(complaints).toEqual([])
  })
})
