import { createAgent, createTool } from 'agentserver'
import { scriptedModel, type ScriptedAnswer } from 'agentserver/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { AgentAnswer, AgentRunRecord } from '../../src/contract/endpoints/agent.ts'
import { sseMessages } from '../support/server/event-stream.ts'
import { bearer, GuardedServer, keyHeader, provider, tokenOf } from '../support/server/guarded-server.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

/** The results of tools that the model got, and the instructions. */
const results: ScriptedAnswer = ({ prompt }) => {
  const system = prompt.find(({ role }) => role === 'system')?.content as string
  const parts = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []))
  const texts = parts.map((part) => ('output' in part && 'value' in part.output ? part.output.value : ''))
  return `${system} ${JSON.stringify(texts)}`
}
const order = (id: string) => ({ toolName: 'order', input: { id } })

describe('the replay of an answer', () => {
  let server: TestServer
  afterEach(() => server.close())

  /** Asks for the orders 1 and 2 at the same time, then for order 3, then answers. */
  async function serve(given: { resumable?: boolean; needsApproval?: boolean; config?: object } = {}) {
    const { resumable = true, needsApproval = false, config = {} } = given
    const made: string[] = []
    const tool = createTool({
      name: 'order',
      description: 'Where an order is',
      inputSchema: z.object({ id: z.string() }),
      outputSchema: z.object({ place: z.string() }),
      needsApproval: needsApproval && ((input: { id: string }) => input.id === '3'),
      execute: ({ id }) => {
        made.push(id)
        return { place: `place ${id}` }
      },
    })
    const script: ScriptedAnswer[] = [{ toolCalls: [order('1'), order('2')] }, { toolCalls: [order('3')] }]
    const model = scriptedModel([...script, results, results, results, results])
    const agents = [
      createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Help.', model, tools: [tool], resumable }),
    ]
    server = new TestServer({ agents, ...config })
    const answer = await dataOf<AgentAnswer>(server.post('/agents/clerk/text', { input: 'Where?' }))
    return { made, model, answer, ids: answer.toolCalls.map(({ toolCallId }) => `tool-${toolCallId}`) }
  }
  const replay = (id: string, body: object, headers = {}) =>
    server.request(`/agents/clerk/runs/${id}/replay`, { json: body, headers })
  const history = () => dataOf<AgentRunRecord[]>(server.request('/agents/clerk/history'))

  it('from a call of the model repeats neither the calls before it nor their tools', async () => {
    const { made, model, answer } = await serve()
    expect(answer.text).toContain('place 3')
    const again = await dataOf<AgentAnswer>(replay(answer.id, { stepId: 'model-3' }))
    expect(again).toMatchObject({ text: answer.text, toolCalls: answer.toolCalls })
    expect(again.id).not.toBe(answer.id)
    expect([made, model.calls.length]).toEqual([['1', '2', '3'], 4])
    const [newest, first] = await history()
    expect(newest).toMatchObject({
      id: again.id,
      status: 'completed',
      input: 'Where?',
      forkedFrom: { runId: answer.id, stepId: 'model-3' },
    })
    expect(first).not.toHaveProperty('forkedFrom')
  })

  it('has other instructions from there on', async () => {
    const { answer } = await serve()
    const body = { stepId: 'model-3', instructions: 'Be brief.' }
    expect((await dataOf<AgentAnswer>(replay(answer.id, body))).text).toMatch(/^Be brief\./)
  })

  it('makes a tool call again, and keeps what was called beside it', async () => {
    const { made, answer, ids } = await serve()
    const again = await dataOf<AgentAnswer>(replay(answer.id, { stepId: ids[1], input: { id: '9' } }))
    expect(made).toEqual(['1', '2', '3', '9'])
    expect(again.toolResults.map(({ output }) => output)).toEqual([
      { place: 'place 1' },
      { place: 'place 9' },
    ])
    expect(again.steps[0]?.toolCalls[1]).toMatchObject({ input: { id: '9' } })
  })

  it('replaces the result of a tool call, which is not made', async () => {
    const { made, answer, ids } = await serve()
    const body = { stepId: ids[2], output: { place: 'nowhere' } }
    const again = await dataOf<AgentAnswer>(replay(answer.id, body))
    expect(again.text).toContain('nowhere')
    expect(made).toEqual(['1', '2', '3'])
    // a replay is replayed as any answer
    const third = await dataOf<AgentAnswer>(replay(again.id, { stepId: 'model-3' }))
    expect(third.text).toBe(again.text)
  })

  it('streams the new answer', async () => {
    const { answer } = await serve()
    const response = await replay(answer.id, { stepId: 'model-3' }, { Accept: 'text/event-stream' })
    const events = sseMessages(await response.text()).map(({ event }) => event as { type: string })
    expect(events.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' })
  })

  it('names what it can not replay', async () => {
    const { answer, ids } = await serve()
    const refused = (body: object) => refusalOf(replay(answer.id, body), 400)
    expect(await refused({ stepId: 'model-9' })).toContain(
      `its calls are model-1, ${ids[0]}, ${ids[1]}, model-2`,
    )
    expect(await refused({ stepId: ids[0], output: { place: 5 } })).toContain('output.place')
    expect(await refused({ stepId: ids[0], input: { id: 5 } })).toContain('input.id')
    expect(await refused({ stepId: ids[0], input: { id: '1' }, output: { place: '' } })).toContain('input')
    expect(await refused({ stepId: 'model-1', output: 'x' })).toContain('name a tool call')
    expect(await refused({ stepId: 'model-1', instructions: ' ' })).toContain('instructions')
    expect(await refusalOf(replay('unknown', { stepId: 'model-1' }), 404)).toContain('unknown')
    expect(await history()).toHaveLength(1)
  })

  it('needs an answer whose calls are recorded', async () => {
    const { answer } = await serve({ resumable: false })
    expect(await refusalOf(replay(answer.id, { stepId: 'model-1' }), 409)).toContain('not recorded')
  })

  it('belongs to the user of the answer, and nobody else can start it', async () => {
    await serve({ config: { auth: provider() } }).catch(() => undefined)
    const ada = bearer(await tokenOf({ sub: 'ada' }))
    const bob = bearer(await tokenOf({ sub: 'bob' }))
    const asked = await server.post('/agents/clerk/text', { input: 'Where?' }, ada)
    const { id } = await dataOf<AgentAnswer>(asked)
    expect(await refusalOf(replay(id, { stepId: 'model-3' }, bob), 404)).toContain(id)
    const again = await dataOf<AgentAnswer>(replay(id, { stepId: 'model-3' }, ada))
    const runs = await dataOf<AgentRunRecord[]>(server.request('/agents/clerk/history', { headers: ada }))
    expect(runs.find((run) => run.id === again.id)).toMatchObject({ userId: 'ada' })
  })

  it('changes nothing without console access: a user calls no tool with other arguments, and pretends no approval', async () => {
    await serve({ config: { authNext: { provider: provider() } } }).catch(() => undefined)
    const ada = bearer(await tokenOf({ sub: 'ada' }))
    const asked = await server.post('/agents/clerk/text', { input: 'Where?' }, ada)
    const { id } = await dataOf<AgentAnswer>(asked)
    for (const change of [{ instructions: 'Be rude.' }, { input: { id: '7' } }, { output: 'yes' }])
      expect(await refusalOf(replay(id, { stepId: 'model-3', ...change }, ada), 403)).toContain(
        `${Object.keys(change)[0]}: requires console access`,
      )
  })

  it('from an approved call asks for the approval again, and behind it does not', async () => {
    const { made, answer, ids } = await serve({ needsApproval: true })
    expect(answer.approvals).toHaveLength(1)
    const approved = { approvals: [{ approvalId: answer.approvals?.[0]?.approvalId, approved: true }] }
    await dataOf(server.post(`/agents/clerk/runs/${answer.id}/approvals`, approved))
    expect(made).toEqual(['1', '2', '3'])
    const behind = await dataOf<AgentAnswer>(replay(answer.id, { stepId: 'model-3' }))
    expect(behind).toMatchObject({ finishReason: 'stop', text: expect.stringContaining('place 3') as string })
    const asked = await dataOf<AgentAnswer>(replay(answer.id, { stepId: ids[2] }))
    expect(asked).toMatchObject({ finishReason: 'approval-required', approvals: [{ toolName: 'order' }] })
    expect(made).toEqual(['1', '2', '3'])
  })

  it('behind a denied call does not ask again', async () => {
    const { made, answer } = await serve({ needsApproval: true })
    const { approvalId } = answer.approvals?.[0] ?? {}
    const respond = (id: string, response: object) =>
      dataOf<AgentAnswer>(server.post(`/agents/clerk/runs/${id}/approvals`, { approvals: [response] }))
    await respond(answer.id, { approvalId, approved: false, reason: 'Too late' })
    const denied = await dataOf<AgentAnswer>(replay(answer.id, { stepId: 'model-3' }))
    expect(denied).toMatchObject({
      finishReason: 'stop',
      toolResults: [{}, {}, { toolName: 'order', error: 'Too late' }],
    })
    const asked = await dataOf<AgentAnswer>(replay(answer.id, { stepId: 'model-2' }))
    expect(asked.finishReason).toBe('stop')
    expect(made).toEqual(['1', '2'])
  })

  it('behind a call with edited arguments shows those', async () => {
    const { made, answer } = await serve({ needsApproval: true })
    const { approvalId } = answer.approvals?.[0] ?? {}
    const approvals = [{ approvalId, approved: true, input: { id: '8' } }]
    await dataOf(server.post(`/agents/clerk/runs/${answer.id}/approvals`, { approvals }))
    const again = await dataOf<AgentAnswer>(replay(answer.id, { stepId: 'model-3' }))
    expect(again.toolCalls.map(({ input }) => input)).toEqual([{ id: '1' }, { id: '2' }, { id: '8' }])
    expect(made).toEqual(['1', '2', '8'])
  })
})

describe('an answer with breakpoints at tools', () => {
  let server: TestServer
  afterEach(() => server.close())

  const serve = () => {
    const made: string[] = []
    const tool = createTool({
      name: 'order',
      description: 'Where an order is',
      inputSchema: z.object({ id: z.string() }),
      execute: ({ id }) => {
        made.push(id)
        return `place ${id}`
      },
    })
    const model = scriptedModel([{ toolCalls: [order('1')] }, { toolCalls: [order('2')] }, results], {
      repeatLast: true,
    })
    const expert = createAgent({ id: 'expert', name: 'Expert', instructions: 'Know.', model, tools: [tool] })
    const ask = { toolCalls: [{ toolName: 'ask_expert', input: { prompt: 'Where?' } }] }
    const boss = createAgent({
      id: 'boss',
      name: 'Boss',
      instructions: 'Ask.',
      model: scriptedModel([ask, results]),
      subAgents: [expert],
    })
    server = new GuardedServer({ agents: [expert, boss], authNext: { provider: provider() } })
    return made
  }
  const as = async (key: object) => ({ ...bearer(await tokenOf({ sub: 'ada' })), ...key })
  const text = async (agent: string, options: object) =>
    server.post(`/agents/${agent}/text`, { input: 'Where?', options }, await as(keyHeader()))
  const resume = async (agent: string, { id }: AgentAnswer, resumeData = {}) =>
    dataOf<AgentAnswer>(
      server.post(`/agents/${agent}/runs/${id}/resume`, { resumeData }, await as(keyHeader())),
    )

  it('waits before each call, whose arguments can be edited, and goes on step by step', async () => {
    const made = serve()
    const first = await dataOf<AgentAnswer>(text('expert', { pauseAt: ['*'] }))
    expect(first.waits).toMatchObject([
      { reason: 'breakpoint', data: { toolName: 'order', input: { id: '1' } } },
    ])
    expect(made).toEqual([])
    const second = await resume('expert', first, { input: { id: '9' } })
    expect(second.waits).toMatchObject([{ data: { input: { id: '2' } } }])
    expect(made).toEqual(['9'])
    expect(await resume('expert', second)).toMatchObject({ finishReason: 'stop' })
    expect(made).toEqual(['9', '2'])
  })

  it('waits in sub-agents, and only before the tools that are named', async () => {
    const made = serve()
    const first = await dataOf<AgentAnswer>(text('boss', { pauseAt: ['order'], resumable: true }))
    expect(first.waits).toMatchObject([{ data: { toolName: 'order' } }])
    const second = await resume('boss', first)
    expect(await resume('boss', second)).toMatchObject({ finishReason: 'stop' })
    expect(made).toEqual(['1', '2'])
  })

  it('is not resumed by the user who asked', async () => {
    serve()
    const { id } = await dataOf<AgentAnswer>(text('expert', { pauseAt: ['*'] }))
    const resumed = server.post(`/agents/expert/runs/${id}/resume`, { resumeData: {} }, await as({}))
    expect(await refusalOf(resumed, 403)).toContain('An operator has to approve')
  })

  it('waits in a replay', async () => {
    const made = serve()
    const { id, toolCalls } = await dataOf<AgentAnswer>(text('expert', { resumable: true }))
    const body = { stepId: `tool-${toolCalls[1]?.toolCallId}`, options: { pauseAt: ['order'] } }
    const replay = server.post(`/agents/expert/runs/${id}/replay`, body, await as(keyHeader()))
    expect(await dataOf(replay)).toMatchObject({ waits: [{ data: { input: { id: '2' } } }] })
    expect(made).toEqual(['1', '2'])
  })

  it('needs console access, and a recorded answer', async () => {
    serve()
    const body = { input: 'Where?', options: { pauseAt: ['order'] } }
    expect(await refusalOf(server.post('/agents/expert/text', body, await as({})), 403)).toContain('pauseAt')
    const unrecorded = text('expert', { pauseAt: ['order'], resumable: false })
    expect(await refusalOf(unrecorded, 400)).toContain('options.pauseAt')
  })
})
