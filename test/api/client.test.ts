import { createAgent } from 'agentserver'
import { createClient } from 'agentserver/client'
import { createTestRunner, scriptedModel } from 'agentserver/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ExecutionEvent } from '../../src/contract/event.ts'
import { add } from '../support/server/sample-tools.ts'
import { TestServer } from '../support/server/test-server.ts'

const server = new TestServer()
afterAll(() => server.close())

describe('the client', () => {
  const client = createClient({ baseUrl: 'http://localhost/', fetch: server.fetch })

  it('returns a stream as events with their sequence numbers', async () => {
    const events: (ExecutionEvent & { sequence: number })[] = []
    for await (const event of client.api.streamWorkflow({ params: { id: 'echo' }, body: { input: {} } }))
      events.push(event)
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5])
    expect(events.at(-1)).toMatchObject({ type: 'workflow-result', status: 'completed' })
  })

  it('returns data, documents and filtered lists', async () => {
    const { executionId } = await server.execute('echo', { a: 1 }, { userId: 'from the client' })
    const params = { id: 'echo', executionId }
    expect(await client.api.getExecution({ params })).toMatchObject({ id: executionId, input: { a: 1 } })
    expect(
      await client.api.listExecutions({ query: { userId: 'from the client', limit: '1' } }),
    ).toHaveLength(1)
    expect(await client.api.getHealth()).toBe('ok')
    const accepted = await client.api.executeWorkflow({
      params: { id: 'echo' },
      headers: { prefer: 'respond-async' },
      body: { input: {} },
    })
    expect(accepted.status).toBe('running')
  })

  it('rejects with the error message of the server', async () => {
    const input = { orderId: 'a' }
    await expect(
      client.api.executeWorkflow({ params: { id: 'order' }, body: { input } }),
    ).rejects.toMatchObject({
      name: 'ApiError',
      status: 400,
      message: 'Input validation failed: input.amount: Required',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    })
    const failed = await client.api
      .executeWorkflow({ params: { id: 'broken' }, body: { input: {} } })
      .catch((error: unknown) => error)
    expect(failed).toMatchObject({
      status: 500,
      message: 'Workflow execution failed: the password is hunter2',
    })
    const { executionId } = failed as { executionId: string }
    expect((await client.api.getExecution({ params: { id: 'broken', executionId } })).error?.message).toBe(
      'the password is hunter2',
    )
  })

  it('rejects a stream when it is read, not before', async () => {
    const events = client.api.followExecution({ params: { id: 'echo', executionId: 'unknown' } })
    // an unhandled rejection would be reported by now
    await new Promise((resolve) => setImmediate(resolve))
    await expect(events.next()).rejects.toMatchObject({ status: 404 })
  })

  it('reports the status of a response without the envelope', async () => {
    const proxied = createClient({
      baseUrl: 'http://localhost',
      fetch: async () => new Response('<html>', { status: 502, statusText: 'Bad Gateway' }),
    })
    await expect(proxied.api.listWorkflows()).rejects.toThrow('HTTP 502 Bad Gateway')
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
    }).api.listWorkflows()
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
    const events = remote.api.followExecution({ params: { id: 'hold', executionId }, signal: abort.signal })
    expect((await events.next()).value).toMatchObject({ type: 'workflow-start', sequence: 1 })
    await events.next()
    const next = events.next()
    setImmediate(() => abort.abort())
    await expect(next).rejects.toMatchObject({ name: 'AbortError' })
  })

  describe('by workflow, agent and tool', () => {
    it('starts an execution, follows it, resumes it and lists it', async () => {
      const order = client.workflow('order')
      expect(await order.describe()).toMatchObject({ id: 'order', name: 'Order' })
      const small = await order.execute(
        { orderId: 'a', amount: 5 },
        { userId: 'front', metadata: { size: 1 } },
      )
      expect(small).toMatchObject({ status: 'completed', result: { orderId: 'a', approved: false } })
      const big = await order.start({ orderId: 'b', amount: 5000 }, { executionId: 'front-big' })
      expect(big.id).toBe('front-big')
      expect(await big.settled()).toMatchObject({ status: 'suspended', result: null })
      expect(await big.resume({ ok: true })).toMatchObject({ status: 'completed' })
      // not the suspension that is over
      expect(await big.settled()).toMatchObject({
        executionId: 'front-big',
        status: 'completed',
        endAt: expect.any(String) as string,
      })
      const types: string[] = []
      for await (const { type } of big.follow({ after: 1 })) types.push(type)
      expect(types[0]).not.toBe('workflow-start')
      expect(types.at(-1)).toBe('workflow-result')
      expect((await big.get()).steps.map(({ stepId }) => stepId)).toContain('charge')
      expect((await big.replay('charge')).status).toBe('suspended')
      expect(await client.executions({ metadata: { size: 1 }, limit: 1 })).toMatchObject([
        { id: small.executionId },
      ])
    })

    it('cancels an execution', async () => {
      const waiting = await client.workflow('ask').start({})
      await waiting.settled()
      expect(await waiting.cancel({ reason: 'too late' })).toMatchObject({ status: 'cancelled' })
      await expect(waiting.resume({})).rejects.toMatchObject({ status: 404 })
    })

    it('calls a tool, and reports its input that is not valid', async () => {
      const tools = createTestRunner({ config: { tools: [add] } })
      const tool = tools.client.tool('add')
      expect((await tool.execute({ a: 1, b: 2 })).result).toEqual({ sum: 3 })
      await expect(tool.execute({ a: 'x' })).rejects.toMatchObject({ name: 'ApiError', status: 400 })
      await tools.close()
    })

    it('names the argument that is missing', () => {
      expect(() => client.workflow(undefined as never)).toThrow(
        'workflow(): id must be a string, not undefined',
      )
    })
  })

  describe('an agent', () => {
    const model = scriptedModel(['{"urgent":true}', 'On its way.', 'Yes.', 'Hello Ada.'])
    const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Answer.', seed: 7 })
    const runner = createTestRunner([], { agents: [clerk], models: { clerk: model } })
    const agents = runner.client
    afterAll(() => runner.close())

    it('answers with an object of a zod schema, with text, and part by part, in a conversation', async () => {
      const judged = await agents
        .agent('clerk')
        .generate('Fire!', { schema: z.object({ urgent: z.boolean() }), temperature: 0 })
      expect(judged.object).toEqual({ urgent: true })
      const options = { userId: 'ada', conversationId: 'c-1' }
      expect((await agents.agent('clerk').generate('Where is it?', options)).text).toBe('On its way.')
      let text = ''
      for await (const part of agents.agent('clerk').stream('Sure?', options))
        if (part.type === 'text-delta') text += part.text
      expect(text).toBe('Yes.')
      const conversation = agents.agent('clerk').conversation('c-1', { userId: 'ada' })
      expect(await conversation.messages({ limit: 10 })).toHaveLength(4)
      expect(await conversation.rename('Order')).toMatchObject({ id: 'c-1', title: 'Order' })
      expect(await agents.agent('clerk').conversations({ userId: 'ada', limit: 5 })).toMatchObject([
        { title: 'Order' },
      ])
      await conversation.delete()
      expect(await agents.agent('clerk').conversations({ userId: 'ada' })).toEqual([])
      expect(model.calls.map(({ temperature, seed }) => [temperature, seed])).toEqual([
        [0, 7],
        [undefined, 7],
        [undefined, 7],
      ])
    })

    it('refuses a schema that has no JSON Schema', async () => {
      const schema = { '~standard': { version: 1, vendor: 'own', validate: () => ({ value: 1 }) } } as const
      await expect(async () => agents.agent('clerk').generate('Hello', { schema })).rejects.toThrow(
        'options.schema has no JSON Schema',
      )
    })
  })
})
