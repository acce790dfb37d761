import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const CONTENT_SERVER = fileURLToPath(new URL('../../api/mcp/content-server.mjs', import.meta.url))
const HOSTILE = `<img src=x onerror="globalThis.harm = 1"> \u202Eabc\u202C ${'W'.repeat(500)} \u001B[31m \u0000 👩‍👩‍👧‍👦`

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { connectMcpServer, createMcpServer, createTool, defineConfig } from 'agentserver'
    import { z } from 'zod'
    const HOSTILE = ${JSON.stringify(HOSTILE)}
    const add = createTool({
      name: 'add', description: 'Adds numbers',
      inputSchema: z.object({ items: z.array(z.object({ amount: z.number() })).min(1), unit: z.enum(['EUR', 'USD']) }),
      outputSchema: z.object({ sum: z.number() }),
      execute: ({ items }) => ({ sum: items.reduce((sum, { amount }) => sum + amount, 0) }),
    })
    const refund = createTool({
      name: 'refund', description: 'Pays back', needsApproval: true,
      inputSchema: z.object({ amount: z.number() }), execute: ({ amount }) => ({ refunded: amount }),
    })
    const hostile = createTool({
      name: 'hostile', description: HOSTILE, inputSchema: z.object({ [HOSTILE]: z.string().default(HOSTILE).describe(HOSTILE) }),
      execute: () => ({ [HOSTILE]: HOSTILE, large: 'x'.repeat(1_000_000) }),
    })
    const hang = createTool({
      name: 'hang', description: 'Takes its time', inputSchema: z.object({}),
      execute: (_, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    })
    export default defineConfig({
      tools: [add, refund, hostile, hang],
      mcpServers: [
        createMcpServer({ id: 'desk', name: HOSTILE, version: '1.2.3', description: HOSTILE, tools: [add, hostile] }),
        connectMcpServer({ id: 'docs', command: process.execPath, args: [${JSON.stringify(CONTENT_SERVER)}] }),
        connectMcpServer({ id: 'gone', url: 'http://127.0.0.1:9/mcp' }),
      ],
    })
  `,
})
const REFUSED = /status of 4\d\d/

beforeAll(() => project.start())
afterAll(() => project.end())

describe('a tool', () => {
  it('runs from its form, with errors at their fields, and shows its result', async () => {
    const { page, complaints, axe } = await project.browser.open('tools/add', { expected: REFUSED })
    await page.getByLabel('amount').fill('many')
    await page.keyboard.press('Control+Enter')
    const field = page.getByLabel('amount')
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
    const result = page.getByRole('region', { name: 'Result' })
    await page.getByText('Must be a number, such as 1.5').waitFor()
    expect(await axe()).toEqual([])
    await page.getByRole('combobox', { name: /^unit/ }).click()
    await page.getByRole('option', { name: 'EUR' }).click()
    await field.fill('2.5')
    await page.keyboard.press('Control+Enter')
    await result.getByText('sum:').waitFor()
    await result.getByRole('link', { name: 'Request' }).waitFor()
    expect(await field.getAttribute('aria-invalid')).toBeNull()
    await page.reload()
    const runs = page.getByRole('region', { name: 'Last runs' })
    await expect.poll(() => runs.getByRole('listitem').count()).toBe(1)
    await runs.getByRole('button', { name: 'Use input' }).last().click()
    expect(await page.getByLabel('amount').inputValue()).toBe('2.5')
    await page.getByText('Show code').click()
    await page.getByRole('button', { name: 'CLI', exact: true }).click()
    await page.getByText("npx agentserver run-tool add --input '{").waitFor()
    expect(complaints).toEqual([])
  })

  it('prompts for approval when it is required', async () => {
    const { page, axe } = await project.browser.open('tools/refund', { expected: REFUSED })
    await page.getByLabel('amount').fill('7')
    await page.getByRole('button', { name: 'Run' }).click()
    const prompt = page.getByRole('alert').filter({ hasText: 'approval' })
    await prompt.waitFor()
    expect(await axe()).toEqual([])
    await prompt.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('No result yet').waitFor()
    await page.getByRole('button', { name: 'Run' }).click()
    await prompt.getByRole('button', { name: 'Approve and run' }).click()
    await page.getByRole('region', { name: 'Result' }).getByText('refunded:').waitFor()
  })

  it('is aborted with Escape', async () => {
    const { page, complaints } = await project.browser.open('tools/hang')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('button', { name: 'Stop' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('region', { name: 'Result' }).getByText('cancelled').waitFor()
    expect(complaints).toEqual([])
  })
})

describe.each(['light', 'dark'] as const)('tools and MCP servers, %s', (theme) => {
  it('have no accessibility or CSP violations with hostile texts', async () => {
    const size = theme === 'dark' ? { width: 1024, height: 700 } : { width: 1440, height: 900 }
    for (const [address, wanted] of [
      ['tools', 'Adds numbers'],
      ['tools/hostile', 'onerror'],
      ['tools/none', 'Tool not found'],
      ['mcp', 'gone'],
      ['mcp/desk', 'Connect a client'],
      ['mcp/docs', 'docs://hostile'],
      ['mcp/gone', 'Streamable HTTP'],
      ['mcp/none', 'MCP server not found'],
    ] as const) {
      const opened = await project.browser.open(address, { theme, size, expected: REFUSED })
      const { page, complaints, axe } = opened
      await page.locator('main').getByText(wanted).first().waitFor()
      if (address === 'tools/hostile') {
        await page.keyboard.press('Control+Enter')
        await page.getByRole('tree', { name: 'Result' }).getByText('more characters of 999500').waitFor()
      }
      for (const details of await page.locator('main details').all()) await details.locator('summary').click()
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
      expect(await page.evaluate('globalThis.harm')).toBeUndefined()
      expect([address, await axe()]).toEqual([address, []])
      expect([address, complaints]).toEqual([address, []])
      await page.close()
    }
  })
})

describe('the list of MCP servers', () => {
  it('shows the status and error of each server', async () => {
    const { page } = await project.browser.open('mcp?kind=connected')
    const grid = page.getByRole('grid', { name: 'MCP servers' })
    await expect.poll(() => grid.innerText()).toMatch(/failed[\s\S]*gone[\s\S]*connected/)
    expect(await grid.getByRole('row').count()).toBe(3)
    const { data } = await project.server.get('/mcp/servers/gone')
    expect(await grid.innerText()).toContain(data.error)
  })

  it('shows code to connect a client', async () => {
    const { page } = await project.browser.open('mcp/desk')
    const connect = page.getByRole('region', { name: 'Connect a client' })
    await connect.getByText('"mcpServers"').waitFor()
    await connect.getByRole('button', { name: 'TypeScript' }).click()
    const url = new URL('/mcp/desk', project.server.url).href
    expect(await connect.innerText()).toContain(`new StreamableHTTPClientTransport(new URL("${url}")`)
  })
})

describe('a connected MCP server', () => {
  it('has its resources read', async () => {
    const { page, axe, complaints } = await project.browser.open('mcp/docs', { expected: REFUSED })
    const resources = page.getByRole('region', { name: 'Resources' })
    await resources.getByText('docs://page-0').click()
    await resources.getByRole('button', { name: 'Read' }).click()
    await expect.poll(() => resources.getByLabel('Contents').innerText()).toBe('text')
    await resources.getByText('docs://page-0').click()
    await resources.getByText('docs://{name}').click()
    await resources.getByLabel('URI').fill('docs://logo')
    await page.keyboard.press('Enter')
    await resources.getByText('3 bytes of image/png').waitFor()
    await resources.getByLabel('URI').fill('docs://missing')
    await page.keyboard.press('Enter')
    await resources.getByText('Resource not found').waitFor()
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })

  it('has its prompts filled in', async () => {
    const { page, axe } = await project.browser.open('mcp/docs')
    const prompts = page.getByRole('region', { name: 'Prompts' })
    await prompts.getByText('Reply', { exact: true }).click()
    await prompts.getByLabel('to').fill('Ada')
    await page.keyboard.press('Enter')
    await prompts.getByText('Reply to Ada').waitFor()
    expect(await axe()).toEqual([])
  })
})
