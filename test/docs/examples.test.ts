import { describe, expect, test, vi } from 'vitest'
import { askWithOpenai } from '../../examples/docs/ask-with-openai.ts'
import auth from '../../examples/docs/auth/agentserver.config.ts'
import { spend, statusOfUnknown } from '../../examples/docs/client.ts'
import { serve } from '../../examples/docs/embed.ts'
import { startExpense } from '../../examples/docs/typed-client.ts'
import handbook from '../../examples/docs/handbook/agentserver.config.ts'
import { lookupOrder } from '../../examples/docs/lookup-order.ts'
import { support } from '../../examples/docs/support.ts'
import { payment } from '../../examples/docs/payments/payment.ts'
import { createClient } from '../../src/client/index.ts'
import { createServer } from '../../src/server/create-server.ts'
import { createTestRunner } from '../../src/testing/index.ts'

describe('the examples of the documentation', () => {
  test('serve an expense and approve it over HTTP', async () => {
    const { url, close } = await serve()
    try {
      const result = await spend(url)
      expect(result).toMatchObject({ status: 'completed', result: { paid: true, approvedBy: 'Grace' } })
      expect(await statusOfUnknown(url)).toBe(404)
      expect(await startExpense(url, 'Ada', 5)).toBe(true)
    } finally {
      await close()
    }
  })

  test("ask an agent with OpenAI's client", async () => {
    const server = createServer({ database: ':memory:', port: 0, agents: [support] })
    const { url } = await server.listen()
    try {
      expect(await askWithOpenai(url, 'any')).toMatch(/on its way[^]*unknown/)
    } finally {
      await server.close()
    }
  })

  test('look up an order for a clerk', async () => {
    const provider = { type: 'test', verifyToken: () => ({ role: 'clerk' }) }
    const server = createServer({ database: ':memory:', tools: [lookupOrder], authNext: { provider } })
    try {
      const client = createClient({ baseUrl: 'http://localhost', token: 't', fetch: server.fetch })
      const body = { input: { orderId: 'A-1' } }
      const { result } = await client.api.executeTool({ params: { name: 'lookup-order' }, body })
      expect(result).toEqual({ status: 'A-1 is on its way', mayChange: true })
    } finally {
      await server.close()
    }
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
    expect(await ask('tools/call', feedback)).toContain('does not support elicitation')
    await server.close()
  })

  test('accept the tokens of their auth provider', async () => {
    const server = createServer({ ...auth, database: ':memory:' }, { production: true })
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
    const runner = createTestRunner([payment])
    try {
      const { status, executionId } = await runner.run(payment, { orderId: 'A-1', cents: 1200 })
      expect(status).toBe('completed')
      expect(keys).toEqual([`${executionId}:pay`, `${executionId}:pay`])
    } finally {
      vi.unstubAllGlobals()
      await runner.close()
    }
  })
})
