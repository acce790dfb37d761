import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connectMcpServer, createAgent, createTool, createWorkflow, demoModel, type Agent } from 'agentserver'
import { createClient } from 'agentserver/client'
import { createServer, type AgentServer } from 'agentserver/server'
import { createTestRunner, scriptedModel } from 'agentserver/testing'
import { pino } from 'pino'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { adviser } from '../../examples/docs/agents/limits.ts'
import { planner } from '../../examples/docs/agents/planner.ts'
import { purchase } from '../../examples/docs/approval/purchase.ts'
import budgets from '../../examples/docs/budgets/agentserver.config.ts'
import costs from '../../examples/docs/costs/prices.config.ts'
import { createInbox } from '../../examples/docs/approval/inbox.ts'
import { assistant, translator } from '../../examples/docs/memory/assistant.ts'
import * as models from '../../examples/docs/models/agents.ts'
import handbook from '../../examples/docs/handbook/agentserver.config.ts'
import mcpServer from '../../examples/docs/mcp-server/agentserver.config.ts'
import routes from '../../examples/docs/routes/agentserver.config.ts'
import sockets from '../../examples/docs/sockets/agentserver.config.ts'
import { classifier, triage } from '../../examples/docs/structured-output/ticket.ts'
import { concierge, meteorologist } from '../../examples/docs/sub-agents/concierge.ts'
import { clerk as approving } from '../../examples/docs/approval/clerk.ts'
import { bookLines } from '../../examples/docs/tools/book-lines.ts'
import { importPages } from '../../examples/docs/tools/import-pages.ts'
import { refund } from '../../examples/docs/tools/refund.ts'
import webhooks from '../../examples/docs/webhooks/agentserver.config.ts'
import starting, { clerk } from '../../examples/docs/start/agentserver.config.ts'
import * as asking from '../../examples/docs/start/ask.ts'
import { onboarding, reminder } from '../../examples/docs/start/remind.ts'
import { order } from '../../examples/docs/workflows/order.ts'
import { fulfilment } from '../../examples/docs/workflows/payment.ts'
import { WebSocket } from 'ws'
import { z } from 'zod'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

function serve(config: Parameters<typeof createServer>[0]): AgentServer {
  const server = createServer({ ...config, database: ':memory:' }, { logger: pino({ enabled: false }) })
  open.push(server)
  return server
}

const clientOf = ({ fetch }: AgentServer) => createClient({ baseUrl: 'http://localhost', fetch })

/** The agent with a model that answers from a script. */
function scripted(agent: Agent, script: Parameters<typeof scriptedModel>[0]) {
  const model = scriptedModel(script)
  return { model, agent: createAgent({ ...agent, model }) }
}

describe('the tool that asks the user', () => {
  test('goes on with the answer', async () => {
    const { agent: clerk } = scripted(approving, [
      { toolCalls: [{ toolName: 'ask-user', input: { question: 'Which order?' } }] },
      'Thank you.',
    ])
    const client = clientOf(serve({ agents: [clerk] }))
    const params = { id: 'clerk' }
    const { id, waits } = await client.api.generateText({ params, body: { input: 'Hi' } })
    expect(waits).toMatchObject([{ data: { question: 'Which order?' } }])
    const body = { resumeData: { answer: 'A-1' } }
    expect(await client.api.resumeRun({ params: { ...params, runId: id }, body })).toMatchObject({
      text: 'Thank you.',
      toolResults: [{ output: 'A-1' }],
    })
  })
})

describe('the workflow that waits for a payment', () => {
  test('ships when the event comes, and takes one that came before', async () => {
    const runner = createTestRunner([fulfilment])
    open.push(runner)
    const execution = await runner.run(fulfilment, { orderId: 'A-1', cents: 60_000 })
    expect(execution.status).toBe('suspended')
    const pay = (cents: unknown) => runner.client.sendEvent({ name: 'payment', key: 'A-1', data: { cents } })
    await expect(pay('all')).rejects.toMatchObject({ status: 400 })
    expect(await pay(60_000)).toMatchObject({ resumed: [execution.executionId] })
    await expect
      .poll(async () => (await execution.record()).output)
      .toEqual({ orderId: 'A-1', state: 'shipped' })
    const late = await runner.run(fulfilment, { orderId: 'A-1', cents: 90_000 })
    expect(late.result).toEqual({ orderId: 'A-1', state: 'underpaid' })
  })
})

describe('the budget of the guide', () => {
  test('refuses the second request as the guide shows it', async () => {
    const agents = (budgets.agents ?? []).map((agent) => createAgent({ ...agent, model: demoModel() }))
    const server = serve({ ...budgets, agents })
    const ask = () =>
      server.fetch(
        new Request('http://localhost/agents/clerk/text', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ input: 'When does the order arrive?', options: { userId: 'ann' } }),
        }),
      )
    expect((await ask()).status).toBe(200)
    const refused = await ask()
    expect(refused.status).toBe(429)
    const shown = (await refused.text()).replaceAll(/\d+ s"/g, '83821 s"')
    expect(readFileSync(new URL('../../docs/guides/costs.md', import.meta.url), 'utf8')).toContain(shown)
  })
})

describe('the prices of the guide', () => {
  test('replace the list price of the model and of its dated versions', async () => {
    const [agent] = costs.agents ?? []
    const model = { ...scriptedModel(['Hello']), provider: 'openai', modelId: 'gpt-4.1-mini-2025-04-14' }
    const server = serve({ ...costs, agents: agent ? [createAgent({ ...agent, model })] : [] })
    const { usage } = await clientOf(server).api.generateText({
      params: { id: 'clerk' },
      body: { input: 'Hi' },
    })
    expect(usage.costUsd).toBeCloseTo(
      (0.3 * Number(usage.inputTokens) + 1.2 * Number(usage.outputTokens)) / 1e6,
      9,
    )
  })
})

describe('the workflow of the guide', () => {
  test('runs every kind of step', async () => {
    const runner = createTestRunner([order])
    open.push(runner)
    const execution = await runner.run(order, { orderId: 'A-1', cents: 60_000 })
    expect(execution.status).toBe('completed')
    expect(execution.result).toMatchObject({ orderId: 'A-1', label: 'north-A-1' })
    const { steps } = await execution.record()
    expect(steps.find(({ stepId }) => stepId === 'discount')?.output).toMatchObject({ totalCents: 67_830 })
    expect(new Set(steps.map(({ type }) => type)).size).toBe(6)
    const childId = steps.find(({ stepId }) => stepId === 'ship')?.childExecutionId ?? ''
    const child = await runner.client.api.getExecution({ params: { id: 'shipment', executionId: childId } })
    expect(child.steps.map(({ stepId, status }) => `${stepId} ${status}`)).toEqual([
      'carrier completed',
      'quote-north completed',
      'quote-south cancelled',
      'book completed',
    ])
  })
})

describe('the purchase of the guide', () => {
  test('waits until another person approves it', async () => {
    const server = serve({ workflows: [purchase], port: 0 })
    const { url } = await server.listen()
    const client = createClient({ baseUrl: url })
    const inbox = createInbox(url)
    const input = { item: 'Desk', cents: 40_000, requestedBy: 'Ada' }
    for (const executionId of ['one', 'two', 'three']) {
      const params = { id: 'purchase' }
      await client.api.executeWorkflow({ params, body: { input, options: { executionId } } })
    }
    expect((await inbox.list()).map(({ executionId }) => executionId)).toEqual(['one', 'two', 'three'])
    expect(await inbox.decide('one', { approved: true, decidedBy: 'Ada' })).toMatchObject({
      status: 'suspended',
      suspension: { reason: 'The requester cannot approve their own purchase', data: input },
    })
    const approved = await inbox.decide('one', { approved: true, decidedBy: 'Grace' })
    expect(approved).toMatchObject({ status: 'completed', result: { orderNumber: 'one:if-approved/order' } })
    await expect(inbox.decide('one', { approved: true, decidedBy: 'Grace' })).rejects.toMatchObject({
      status: 404,
    })
    await expect(inbox.decide('two', { decidedBy: 'Grace' } as never)).rejects.toMatchObject({ status: 400 })
    const rejected = await inbox.decide('two', { approved: false, decidedBy: 'Grace', comment: 'Too big' })
    expect(rejected).toMatchObject({ status: 'completed', result: { approved: false } })
    expect(await inbox.withdraw('three', 'Not needed')).toMatchObject({ status: 'cancelled' })
    expect(await inbox.list()).toEqual([])
  })
})

describe('the agents of the guides', () => {
  test('plan a journey with a tool', async () => {
    const { agent, model } = scripted(planner, [
      { toolCalls: [{ toolName: 'find-trains', input: { from: 'Ulm', to: 'Bonn', day: '2026-12-01' } }] },
      'Take the 9:04.',
    ])
    const server = serve({ agents: [agent] })
    const answer = await clientOf(server).api.generateText({
      params: { id: 'planner' },
      body: { input: 'How do I get from Ulm to Bonn?' },
    })
    expect(answer).toMatchObject({ text: 'Take the 9:04.', toolResults: [{ output: [{ euros: 49 }] }] })
    expect(model.calls).toHaveLength(2)
  })

  test('refuse a question that is too long', async () => {
    const { agent, model } = scripted(adviser, ['Take the 9:04.'])
    const client = clientOf(serve({ agents: [agent] }))
    const ask = (input: string) => client.api.generateText({ params: { id: 'adviser' }, body: { input } })
    await expect(ask('a'.repeat(2001))).rejects.toMatchObject({ status: 500 })
    expect(model.calls).toHaveLength(0)
    expect(await ask('a'.repeat(2000))).toMatchObject({ text: 'Take the 9:04.' })
  })

  test('ask their sub-agents', async () => {
    const { agent: expert } = scripted(meteorologist, [
      { toolCalls: [{ toolName: 'forecast', input: { city: 'Bonn' } }] },
      'Clear, 21 degrees.',
    ])
    const { agent, model } = scripted(
      createAgent({ ...concierge, subAgents: [expert, ...concierge.subAgents.slice(1)] }),
      [{ toolCalls: [{ toolName: 'ask_meteorologist', input: { prompt: 'Bonn?' } }] }, 'Go to the park.'],
    )
    const client = clientOf(serve({ agents: [agent] }))
    const answer = await client.api.generateText({
      params: { id: 'concierge' },
      body: { input: 'A day in Bonn' },
    })
    expect(answer.text).toBe('Go to the park.')
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('Clear, 21 degrees.')
    const listed = await client.api.listAgents()
    expect(listed.map(({ id, served }) => `${id} ${String(served)}`)).toEqual([
      'concierge true',
      'meteorologist false',
      'guide false',
    ])
  })

  test('return an object of a schema', async () => {
    const { agent } = scripted(classifier, [
      { object: { category: 'delivery', urgent: true, summary: 'Where is it?' } },
    ])
    const client = clientOf(serve({ agents: [agent] }))
    const schema = { type: 'object', properties: { urgent: { type: 'boolean' } }, required: ['urgent'] }
    const params = { id: 'classifier' }
    const { object } = await client.api.generateObject({
      params,
      body: { input: 'Where is my parcel?', schema },
    })
    expect(object).toMatchObject({ urgent: true })
  })

  test('fill a schema for a workflow', async () => {
    const runner = createTestRunner([triage])
    open.push(runner)
    const { result } = await runner.run(triage, { message: 'My parcel is late' })
    expect(result).toMatchObject({ category: expect.stringMatching(/^(billing|delivery|other)$/) as string })
    expect(result?.queue).toBe(result?.urgent ? 'now' : result?.category)
  })

  test('remember a conversation, or do not', async () => {
    const remembering = scripted(assistant, ['Hello Ada.', 'Your name is Ada.'])
    const forgetful = scripted(translator, ['Bonjour'])
    const client = clientOf(serve({ agents: [remembering.agent, forgetful.agent] }))
    const options = { conversationId: 'c1', userId: 'ada' }
    const ask = (id: string, input: string) =>
      client.api.generateText({ params: { id }, body: { input, options } })
    await ask('assistant', 'I am Ada')
    await ask('assistant', 'Who am I?')
    await ask('translator', 'Hello')
    expect(remembering.model.calls[1]?.prompt.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ])
    expect(forgetful.model.calls[0]?.prompt.map(({ role }) => role)).toEqual(['system', 'user'])
  })

  test('have the models that they name', async () => {
    const agents = Object.values(models)
    const listed = await clientOf(serve({ agents })).api.listAgents()
    expect(listed.slice(1).map(({ provider, model }) => [provider?.split('.')[0], model])).toEqual([
      ['openai', 'gpt-4.1-mini'],
      ['anthropic', 'claude-haiku-4-5'],
      ['openai', 'gpt-4.1-mini'],
      ['demo', 'demo'],
    ])
    expect(listed.at(-2)?.fallbackModels).toEqual(['anthropic.messages/claude-haiku-4-5'])
    expect(demoModel().modelId).toBe('demo')
  })
})

describe('the tool of the guide', () => {
  test('needs an approval above its limit', async () => {
    const client = clientOf(serve({ tools: [refund] }))
    const execute = (cents: number, approve?: boolean) =>
      client.api.executeTool({
        params: { name: 'refund' },
        body: { input: { orderId: 'A1', cents }, ...(approve !== undefined && { approve }) },
      })
    expect(await execute(5000)).toMatchObject({ result: { refundId: 'refund-A1', cents: 5000 } })
    await expect(execute(5001)).rejects.toMatchObject({ status: 409 })
    expect(await execute(5001, true)).toMatchObject({ result: { cents: 5001 } })
  })
})

describe('the long tool of the guide', () => {
  test('waits for a signature, and is refused where it has no record', async () => {
    const order = createWorkflow({
      id: 'order',
      run: ({ step }) => step.tool('book', bookLines, { lines: ['a', 'b'] }),
    })
    const runner = createTestRunner([order])
    open.push(runner)
    const execution = await runner.run(order, {})
    expect(await execution.record()).toMatchObject({ waits: [{ path: 'book/sign' }] })
    expect(await execution.resume({})).toMatchObject({ result: { booked: 2 } })
    const client = clientOf(serve({ tools: [bookLines] }))
    const call = { params: { name: 'book-lines' }, body: { input: { lines: [] } } }
    await expect(client.api.executeTool(call)).rejects.toMatchObject({ status: 500 })
  })
})

describe('the tool of the guide that reports', () => {
  test('writes data parts and yields preliminary results, of which the last one is the result', async () => {
    vi.stubGlobal('fetch', async () => new Response('', { status: 204 }))
    const model = scriptedModel([
      { toolCalls: [{ toolName: 'import-pages', input: { urls: ['http://a.test/1', 'http://a.test/2'] } }] },
      'Imported.',
    ])
    const agent = createAgent({
      id: 'importer',
      name: 'Importer',
      instructions: 'Import.',
      model,
      tools: [importPages],
    })
    const client = clientOf(serve({ agents: [agent] }))
    const parts = []
    for await (const part of client.api.streamText({ params: { id: 'importer' }, body: { input: 'Go' } }))
      parts.push(part)
    vi.unstubAllGlobals()
    const types = parts.map(({ type }) => type)
    expect(types.indexOf('data-progress')).toBeGreaterThan(types.indexOf('tool-call'))
    expect(parts.findLast(({ type }) => type === 'tool-result')).toMatchObject({
      output: { imported: 2, lastStatus: 204 },
    })
  })
})

describe('the MCP servers of the guides', () => {
  test('serve tools, agents and workflows, and use the tools of another server', async () => {
    const served = serve({ ...mcpServer, port: 0 })
    const { url } = await served.listen()
    const tools = await clientOf(served).api.listMcpTools({ params: { serverId: 'desk' } })
    expect(tools.map(({ name }) => name)).toEqual([
      'lookup-order',
      'ask_support',
      'run_expense',
      'resume_expense',
    ])

    const connected = connectMcpServer({ id: 'orders', url: `${url}/mcp/desk` })
    const client = clientOf(serve({ mcpServers: [connected] }))
    const params = { name: 'orders_lookup-order' }
    const { result } = await client.api.executeTool({ params, body: { input: { orderId: 'A-1' } } })
    expect(result).toEqual({ status: 'A-1 is on its way', mayChange: false })
  })

  test('of the client read a resource of the server', async () => {
    const { url } = await serve({ ...handbook, port: 0 }).listen()
    vi.stubEnv('HANDBOOK_URL', `${url}/mcp/handbook`)
    const { handbook: connected } = await import('../../examples/docs/mcp-client/handbook.ts')
    const { teamMembers } = await import('../../examples/docs/mcp-client/team-members.ts')
    vi.unstubAllEnvs()
    const client = clientOf(serve({ mcpServers: [connected], tools: [teamMembers] }))
    const call = { params: { name: 'team-members' }, body: { input: { team: 'support' } } }
    expect((await client.api.executeTool(call)).result).toBe('{"members":["Ada","Grace"]}')
  })
})

describe('the routes of the guide', () => {
  test('store and return a note', async () => {
    const { fetch } = serve(routes)
    const call = (method: string, body?: string) =>
      fetch(new Request('http://localhost/notes/1', { method, ...(body !== undefined && { body }) }))
    expect((await call('GET')).status).toBe(404)
    expect((await call('PUT', 'Buy milk')).status).toBe(204)
    const found = await call('GET')
    expect(found.headers.get('cache-control')).toBe('no-store')
    expect(await found.json()).toEqual({ note: 'Buy milk', reader: null })
  })
})

describe('the sockets of the guide', () => {
  test('send a message to everyone in the room', async () => {
    const { url } = await serve({ ...sockets, port: 0 }).listen()
    const join = async (room: string) => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/rooms/${room}`)
      const messages: unknown[] = []
      socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString())))
      await new Promise((resolve) => socket.once('open', resolve))
      return { socket, messages }
    }
    const [ada, grace, other] = await Promise.all([join('a'), join('a'), join('b')])
    ada.socket.send('Hello')
    await expect.poll(() => grace.messages).toEqual([{ from: 'guest', text: 'Hello' }])
    expect(other.messages).toEqual([])
    for (const { socket } of [ada, grace, other]) socket.close()
  })
})

describe('the webhook of the guide', () => {
  test('starts one execution for each event, however often it is delivered', async () => {
    vi.stubEnv('WEBHOOK_SECRET', 'secret')
    const server = serve(webhooks)
    const deliver = async (body: string, signature: string) => {
      const init = { method: 'POST', body, headers: { 'x-signature': signature } }
      return (await server.fetch(new Request('http://localhost/webhooks/payments', init))).status
    }
    const body = JSON.stringify({ id: 'evt_1', orderId: 'A-1', cents: 4200 })
    const signature = createHmac('sha256', 'secret').update(body).digest('hex')
    expect(await deliver(body, signature)).toBe(202)
    expect(await deliver(body, signature)).toBe(202)
    expect(await deliver(body, '00')).toBe(401)
    vi.unstubAllEnvs()
    const list = () => clientOf(server).api.listExecutions({ query: { workflowId: 'fulfil' } })
    await expect.poll(list).toMatchObject([{ id: 'code:payment:evt_1', status: 'completed' }])
  })
})

describe('executions that the code of the guide starts', () => {
  test('are resumed by a route', async () => {
    const server = serve(starting)
    const post = async (path: string, body: object) => {
      const init = { method: 'POST', body: JSON.stringify(body) }
      const response = await server.fetch(new Request(`http://localhost${path}`, init))
      return (await response.json()) as Record<string, string>
    }
    const { executionId = '' } = await post('/leave', { days: 3 })
    const state = () => clientOf(server).api.getExecution({ params: { id: 'leave', executionId } })
    await expect.poll(state).toMatchObject({ status: 'suspended' })
    const answer = { status: 'completed', result: { days: 3, approved: true } }
    expect(await post(`/leave/${executionId}/approve`, {})).toEqual(answer)
  })

  test('answer and find orders in routes', async () => {
    const { agent } = scripted(clerk, ['Order 7 has been shipped.'])
    const server = serve({ ...starting, agents: [agent] })
    const json = async (path: string, init?: RequestInit) =>
      (await server.fetch(new Request(`http://localhost${path}`, init))).json()
    const body = JSON.stringify({ question: 'Where is order 7?' })
    expect(await json('/questions', { method: 'POST', body })).toEqual({ text: 'Order 7 has been shipped.' })
    expect(await json('/orders/7')).toEqual({ order: 7, status: 'shipped' })
  })

  test('ask for objects, print parts, and report approvals', async () => {
    const refundOrder = createTool({
      name: 'refundOrder',
      description: 'Refunds an order',
      inputSchema: z.object({ order: z.number() }),
      needsApproval: true,
      execute: ({ order }) => order,
    })
    const call = { toolCalls: [{ toolName: 'refundOrder', input: { order: 7 } }] }
    const { agent } = scripted({ ...clerk, tools: [refundOrder] }, [
      { object: { topic: 'refund', urgent: true } },
      'On its way',
      call,
      call,
    ])
    const server = serve({ agents: [agent] })
    await server.ready()
    expect(await asking.sort('I want my money back, now')).toBe('refund!')
    let printed = ''
    expect(await asking.print('Where is order 7?', (text) => (printed += text))).toBeNull()
    expect(printed).toBe('On its way')
    expect(await asking.refund(7)).toMatch(/^Run \S+ needs approval of refundOrder$/)
    expect(await asking.refundLater(7)).toMatch(/^Run \S+ needs approval of refundOrder$/)
  })

  test('are started once by a step', async () => {
    const runner = createTestRunner([onboarding, reminder])
    open.push(runner)
    const { executionId } = await runner.run(onboarding, { employee: 'Ada' })
    const params = { id: 'reminder', executionId: `code:${executionId}:remind:reminder` }
    await expect.poll(() => runner.client.api.getExecution({ params })).toMatchObject({ status: 'completed' })
  })
})
