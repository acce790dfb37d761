import { createAgent, createMcpServer, createTool, createWorkflow, demoModel } from 'agentserver'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { AgentRunRecord } from '../../../src/contract/endpoints/agent.ts'
import type { ExecutionDetail } from '../../../src/contract/endpoints/execution.ts'
import { patientTool } from '../../support/server/sample-tools.ts'
import { dataOf } from '../../support/server/responses.ts'
import { TestServer } from '../../support/server/test-server.ts'
import { connectClient } from '../../support/clients/mcp-client.ts'
import { listening } from '../../support/server/listening.ts'

const calls = new EventTarget()
const patient = patientTool(calls)
const counting = createTool({
  name: 'counting',
  description: 'Tells how far it is',
  inputSchema: { type: 'object' },
  execute: async (_, { reportProgress }) => {
    for (const progress of [1, 2]) {
      reportProgress?.({ progress, total: 2, message: `${progress} of 2` })
      await setTimeout(5)
    }
    return 'counted'
  },
})
const guide = createAgent({ id: 'guide', name: 'Guide', instructions: 'Answer', model: demoModel() })
const slow = createAgent({
  id: 'slow',
  name: 'Slow',
  instructions: 'x',
  model: demoModel(),
  tools: [patient],
})
const long = createWorkflow({ id: 'long', name: 'Long' })
  .andThen({
    id: 'wait',
    execute: async ({ signal }) => {
      calls.dispatchEvent(new Event('began'))
      await Promise.race([once(signal, 'abort'), once(calls, 'go on')])
      return { waited: true }
    },
  })
  .andThen({ id: 'end', execute: ({ data }) => data })

const verifyToken = (token: string) => (token === '' ? null : { id: token })
const server = new TestServer({
  workflows: [],
  mcpServers: [
    createMcpServer({
      id: 'shop',
      name: 'Shop',
      tools: [patient, counting],
      agents: [guide, slow],
      workflows: [long],
    }),
  ],
  authNext: { provider: { type: 'test', verifyToken }, publicRoutes: ['/agents/*', '/workflows/*'] },
})
const at = listening(server)

const connect = (mode: 'legacy' | 'auto', user = 'grace') => connectClient(at('/mcp/shop'), { mode, user })
// what a client starts belongs to its user
const historyOf = (agentId: string, userId: string) =>
  dataOf<AgentRunRecord[]>(
    server.request(`/agents/${agentId}/history`, { headers: { authorization: `Bearer ${userId}` } }),
  )
const newest = async () => {
  const headers = { authorization: 'Bearer grace' }
  const [{ id } = { id: '' }] = await dataOf<ExecutionDetail[]>(
    server.request('/workflows/executions?workflowId=long', { headers }),
  )
  return dataOf<ExecutionDetail>(server.request(`/workflows/long/executions/${id}`, { headers }))
}

describe.each(['legacy', 'auto'] as const)('a call of a client (%s)', (mode) => {
  it('to an agent is in its history, under the user of the token', async () => {
    const user = `asks-${mode}`
    const client = await connect(mode, user)
    await client.callTool({ name: 'ask_guide', arguments: { prompt: 'Where is A-7?' } })
    const [run, ...others] = await historyOf('guide', user)
    expect(others).toEqual([])
    expect(run).toMatchObject({ status: 'completed', input: 'Where is A-7?', conversationId: null })
    expect(run?.usage).not.toBeNull()
    await client.close()
  })

  it('to an agent with a conversationId continues the conversation', async () => {
    const user = `talks-${mode}`
    const client = await connect(mode, user)
    for (const prompt of ['My name is Ada', 'Who am I?'])
      await client.callTool({ name: 'ask_guide', arguments: { prompt, conversationId: 'c1' } })
    const [second, first] = await historyOf('guide', user)
    expect([first?.conversationId, second?.conversationId]).toEqual(['c1', 'c1'])
    expect(second?.usage?.inputTokens).toBeGreaterThan((first?.usage?.inputTokens ?? 0) + 4)
    const wrong = await client.callTool({ name: 'ask_guide', arguments: { prompt: 'x', conversationId: 7 } })
    expect(JSON.stringify(wrong)).toContain('input.conversationId: must be a string')
    await client.close()
  })

  it('ends when the client cancels it', async () => {
    const client = await connect(mode)
    const [called, aborted] = [once(calls, 'called'), once(calls, 'aborted')]
    const back = new AbortController()
    const sent = client.callTool({ name: 'patient', arguments: {} }, { signal: back.signal })
    const ended = sent.then(
      () => 'answered',
      () => 'refused',
    )
    await called
    back.abort()
    expect(await ended).toBe('refused')
    await aborted
    await client.close()
  })

  it('to an agent is recorded as aborted when the client cancels it', async () => {
    const user = `leaves-${mode}`
    const client = await connect(mode, user)
    const called = once(calls, 'called')
    const back = new AbortController()
    const sent = client.callTool(
      { name: 'ask_slow', arguments: { prompt: 'Call patient, which waits until nobody waits for it' } },
      { signal: back.signal },
    )
    sent.catch(() => undefined)
    await called
    back.abort()
    await expect.poll(() => historyOf('slow', user)).toMatchObject([{ status: 'aborted' }])
    await client.close()
  })

  it('reports progress when the client sends a progress token', async () => {
    const client = await connect(mode)
    const updates: unknown[] = []
    const onprogress = (progress: unknown) => void updates.push(progress)
    await client.callTool({ name: 'counting', arguments: {} }, { onprogress })
    expect(updates).toMatchObject([
      { progress: 1, total: 2, message: '1 of 2' },
      { progress: 2, total: 2 },
    ])
    const { content } = await client.callTool({ name: 'counting', arguments: {} })
    expect(content).toEqual([{ type: 'text', text: 'counted' }])
    await client.close()
  })

  it('to a workflow continues when the client disconnects', async () => {
    const client = await connect(mode)
    const startedAt = once(calls, 'began')
    client.callTool({ name: 'run_long', arguments: {} }).catch(() => undefined)
    await startedAt
    await client.close()
    await setTimeout(20)
    expect((await newest()).status).toBe('running')
    calls.dispatchEvent(new Event('go on'))
    await expect.poll(async () => (await newest()).status).toBe('completed')
  })
})

it('an execution is cancelled by the notification of its own client on revision 2025-xx only', async () => {
  const [client, other] = [await connect('legacy'), await connect('legacy')]
  const startedAt = once(calls, 'began')
  const back = new AbortController()
  client.callTool({ name: 'run_long', arguments: {} }, { signal: back.signal }).catch(() => undefined)
  await startedAt
  for (let requestId = 0; requestId < 5; requestId++)
    await other.notification({ method: 'notifications/cancelled', params: { requestId } })
  await setTimeout(20)
  expect((await newest()).status).toBe('running')
  back.abort()
  await expect.poll(async () => (await newest()).status).toBe('cancelled')
  await Promise.all([client.close(), other.close()])
})
