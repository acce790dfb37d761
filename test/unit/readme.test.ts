import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { EXIT } from '../../src/cli/exit-code.ts'
import { resolveConfig } from '../../src/config/config.ts'
import { ENDPOINT_LIST } from '../../src/contract/index.ts'
import { STATUS_BY_CODE } from '../../src/lib/errors.ts'
import { createWorkflow } from '../../src/index.ts'
import { createClient } from '../../src/client/index.ts'
import { createTestRunner } from '../../src/testing/index.ts'
import { createServer } from '../../src/server/create-server.ts'
import { config } from '../examples/auth.ts'
import { spend, statusOfUnknown } from '../examples/client.ts'
import desk from '../examples/desk/agentserver.config.ts'
import { serve } from '../examples/embed.ts'
import handbook from '../examples/handbook/agentserver.config.ts'
import { lookupOrder } from '../examples/lookup-order.ts'
import { pay } from '../examples/pay.ts'

const root = new URL('../../', import.meta.url)
const fileAt = (path: string) => readFileSync(new URL(path, root), 'utf8')
const readme = fileAt('README.md')

const blocks = [...readme.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```$/gms)].map(([, path = '', code = '']) => ({
  path,
  code,
}))

describe('the README', () => {
  test.each(blocks)('shows $path as it is', ({ path, code }) => {
    expect(code).toBe(fileAt(path))
  })

  test('marks every TypeScript block with its file', () => {
    expect(blocks.length).toBeGreaterThan(0)
    expect(readme.match(/^```ts$/gm)).toHaveLength(blocks.length)
  })

  test('links to files that are there', () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, path = '']) => path)
    expect(links).toContain('LICENSE')
    expect(links.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
  })

  test('lists every endpoint', () => {
    const rows = ENDPOINT_LIST.filter(([key]) => key !== 'getApiExplorerAsset').map(
      ([, { method, path }]) => `| \`${method} ${path}\` |`,
    )
    expect(missing(rows)).toEqual([])
  })

  test('lists every option of the configuration with its default', () => {
    const defaults = leaves(resolveConfig({}, 'agentserver.config.ts')).filter(
      ([, value]) => value !== undefined,
    )
    expect(defaults.length).toBeGreaterThan(0)
    expect(missing(defaults.map(([name, value]) => `| \`${name}\` | \`${inCode(value)}\` |`))).toEqual([])
  })

  test('lists every status an error is answered with', () => {
    const statuses = Object.values(STATUS_BY_CODE)
    expect(missing(statuses.map((status) => `| ${status} |`))).toEqual([])
  })

  test('lists every command with its exit codes', () => {
    const commands = readdirSync(new URL('src/cli/commands/', root)).map((file) => file.replace(/\.ts$/, ''))
    expect(commands).toContain('dev')
    expect(missing(commands.map((name) => `| \`${name}`))).toEqual([])
    expect(missing(Object.values(EXIT).map((code) => `| ${code} | `))).toEqual([])
  })
})

describe('the examples of the README', () => {
  test('serve an expense and approve it over HTTP', async () => {
    const { url, close } = await serve()
    try {
      const result = await spend(url)
      expect(result).toMatchObject({ status: 'completed', result: { paid: true, approvedBy: 'Grace' } })
      expect(await statusOfUnknown(url)).toBe(404)
    } finally {
      await close()
    }
  })

  test('look up an order for a clerk', async () => {
    const provider = { type: 'test', verifyToken: () => ({ role: 'clerk' }) }
    const server = createServer({ database: ':memory:', tools: [lookupOrder], authNext: { provider } })
    try {
      const client = createClient({ baseUrl: 'http://localhost', token: 't', fetch: server.fetch })
      const body = { input: { orderId: 'A-1' } }
      const { result } = await client.executeTool({ params: { name: 'lookup-order' }, body })
      expect(result).toEqual({ status: 'A-1 is on its way', mayChange: true })
    } finally {
      await server.close()
    }
  })

  test('declare MCP servers', () => {
    const { mcpServers, workflows } = resolveConfig(desk, 'agentserver.config.ts')
    expect(mcpServers.map(({ id, kind }) => `${kind} ${id}`)).toEqual([
      'served desk',
      'connected files',
      'connected crm',
    ])
    expect(workflows.map(({ id }) => id)).toEqual(['expense'])
  })

  test('serve documents and prompts to MCP clients', async () => {
    const server = createServer({ ...handbook, database: ':memory:' })
    const ask = async (method: string, params: object) => {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const url = 'http://localhost/mcp/handbook'
      return (await server.fetch(new Request(url, { method: 'POST', headers, body }))).text()
    }
    expect(await ask('resources/read', { uri: 'handbook://teams/support' })).toContain('Grace')
    const values = { name: 'reply', arguments: { question: 'Where is it?' } }
    expect(await ask('prompts/get', values)).toContain('in a friendly tone, by the house rules: Where is it?')
    const feedback = { name: 'give-feedback', arguments: { rule: 'Be kind' } }
    expect(await ask('tools/call', feedback)).toContain('has no way to ask you')
    await server.close()
  })

  test('let in whom their auth says', async () => {
    const server = createServer({ ...config, database: ':memory:' }, { production: true })
    const status = async (path: string) => (await server.fetch(new Request(`http://localhost${path}`))).status
    const paths = ['/prices', '/reports/2026', '/admin', '/workflows', '/healthz']
    expect(await Promise.all(paths.map((path) => status(path)))).toEqual([200, 401, 401, 401, 200])
    await server.close()
  })

  test('pay with the same key on every attempt', async () => {
    const keys: (string | null)[] = []
    vi.stubGlobal('fetch', (_url: string, { headers }: RequestInit) => {
      keys.push(new Headers(headers).get('Idempotency-Key'))
      return Promise.resolve(new Response(null, { status: keys.length === 1 ? 503 : 200 }))
    })
    const payment = createWorkflow({ id: 'payment', inputSchema: z.object({ amount: z.number() }) }, pay)
    const runner = createTestRunner([payment])
    try {
      const { status, executionId } = await runner.run(payment, { amount: 12 })
      expect(status).toBe('completed')
      expect(keys).toEqual([`${executionId}:pay`, `${executionId}:pay`])
    } finally {
      vi.unstubAllGlobals()
      await runner.close()
    }
  })
})

function missing(texts: readonly string[]): string[] {
  return texts.filter((text) => !readme.includes(text))
}

/** Every value in an object with the dotted path to it. */
function leaves(value: object, prefix = ''): [string, unknown][] {
  return Object.entries(value).flatMap(([key, entry]: [string, unknown]) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? leaves(entry, `${prefix}${key}.`)
      : [[prefix + key, entry] as [string, unknown]],
  )
}

function inCode(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
}
