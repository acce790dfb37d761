import { createClient } from 'agentserver/client'
import { afterAll, describe, expect, it } from 'vitest'
import type { ExecutionEvent } from '../../src/contract/event.ts'
import { TestServer } from '../support/server/test-server.ts'

const server = new TestServer()
afterAll(() => server.close())

describe('the client', () => {
  const client = createClient({ baseUrl: 'http://localhost/', fetch: server.fetch })

  it('returns a stream as events with their sequence numbers', async () => {
    const events: (ExecutionEvent & { sequence: number })[] = []
    for await (const event of client.streamWorkflow({ params: { id: 'echo' }, body: { input: {} } }))
      events.push(event)
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5])
    expect(events.at(-1)).toMatchObject({ type: 'workflow-result', status: 'completed' })
  })

  it('returns data, documents and filtered lists', async () => {
    const { executionId } = await server.execute('echo', { a: 1 }, { userId: 'from the client' })
    const params = { id: 'echo', executionId }
    expect(await client.getExecution({ params })).toMatchObject({ id: executionId, input: { a: 1 } })
    expect(await client.listExecutions({ query: { userId: 'from the client', limit: '1' } })).toHaveLength(1)
    expect(await client.getHealth()).toBe('ok')
    const accepted = await client.executeWorkflow({
      params: { id: 'echo' },
      headers: { prefer: 'respond-async' },
      body: { input: {} },
    })
    expect(accepted.status).toBe('running')
  })

  it('rejects with the error message of the server', async () => {
    const input = { orderId: 'a' }
    await expect(client.executeWorkflow({ params: { id: 'order' }, body: { input } })).rejects.toMatchObject({
      name: 'ApiError',
      status: 400,
      message: 'Input validation failed: input.amount: Required',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    })
    const failed = await client
      .executeWorkflow({ params: { id: 'broken' }, body: { input: {} } })
      .catch((error: unknown) => error)
    expect(failed).toMatchObject({
      status: 500,
      message: 'Workflow execution failed: the password is hunter2',
    })
    const { executionId } = failed as { executionId: string }
    expect((await client.getExecution({ params: { id: 'broken', executionId } })).error?.message).toBe(
      'the password is hunter2',
    )
  })

  it('rejects a stream when it is read, not before', async () => {
    const events = client.followExecution({ params: { id: 'echo', executionId: 'unknown' } })
    // an unhandled rejection would be reported by now
    await new Promise((resolve) => setImmediate(resolve))
    await expect(events.next()).rejects.toMatchObject({ status: 404 })
  })

  it('reports the status of a response without the envelope', async () => {
    const proxied = createClient({
      baseUrl: 'http://localhost',
      fetch: async () => new Response('<html>', { status: 502, statusText: 'Bad Gateway' }),
    })
    await expect(proxied.listWorkflows()).rejects.toThrow('HTTP 502 Bad Gateway')
  })

  it('sends the configured credentials', async () => {
    const sent: Request[] = []
    const fetch = (request: Request) => {
      sent.push(request)
      return server.fetch(request)
    }
    await createClient({
      baseUrl: 'http://localhost',
      fetch,
      token: 't',
      consoleKey: 'k',
      dev: true,
    }).listWorkflows()
    expect(Object.fromEntries(sent[0]?.headers ?? [])).toEqual({
      authorization: 'Bearer t',
      'x-console-access-key': 'k',
      'x-service-dev': 'true',
    })
  })

  it('aborts a call with its signal', async () => {
    const executionId = await server.startHeldExecution()
    const abort = new AbortController()
    const { url } = await server.listen()
    const remote = createClient({ baseUrl: url })
    const events = remote.followExecution({ params: { id: 'hold', executionId }, signal: abort.signal })
    expect((await events.next()).value).toMatchObject({ type: 'workflow-start', sequence: 1 })
    await events.next()
    const next = events.next()
    setImmediate(() => abort.abort())
    await expect(next).rejects.toMatchObject({ name: 'AbortError' })
  })
})
