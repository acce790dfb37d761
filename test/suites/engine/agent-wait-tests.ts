import { expect, it } from 'vitest'
import { z } from 'zod'
import { CODE_DECIDES } from '../../../src/contract/access/decision.ts'
import { createAgent } from '../../../src/agent/create-agent.ts'
import { createTool } from '../../../src/agent/tools/create-tool.ts'
import { scriptedModel, type ScriptedAnswer } from '../../../src/testing/scripted-model.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andAgent } from '../../../src/workflow/steps/and-agent.ts'
import { andDoUntil } from '../../../src/workflow/steps/and-do-until.ts'
import { andDoWhile } from '../../../src/workflow/steps/and-do-while.ts'
import { andForEach } from '../../../src/workflow/steps/and-for-each.ts'
import { andRace } from '../../../src/workflow/steps/and-race.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { until } from '../../support/until.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Engines } from './engine-suite.ts'

const ALL = { limit: 100, offset: 0 }

interface Waiting {
  readonly approvals?: readonly {
    readonly approvalId: string
    readonly toolName: string
    readonly input: unknown
    readonly agentId: string
  }[]
  readonly toolCalls?: readonly { readonly toolCallId: string; readonly input: unknown }[]
}

/** Steps whose agents wait for approvals and for outputs of the client's tools. */
export function agentWaitTests(engines: Engines): void {
  /** An agent that calls the tools of `turns`, one turn after the other, and then answers. */
  function world(turns: readonly (readonly [toolName: string, input: object][])[], text = 'Done.') {
    const calls: string[] = []
    let stopAt = ''
    const enter = async (call: string) => {
      calls.push(call)
      if (call === stopAt) await new Promise(() => undefined)
    }
    const answer: ScriptedAnswer = ({ prompt }) => {
      const done = prompt.filter(({ role }) => role === 'assistant').length
      calls.push(`model ${done}`)
      const turn = turns[done]
      return turn ? { toolCalls: turn.map(([toolName, input]) => ({ toolName, input })) } : text
    }
    const model = scriptedModel([answer], { repeatLast: true })
    const pay = createTool({
      name: 'pay',
      description: 'Pays',
      inputSchema: z.object({ amount: z.number().refine((amount) => amount <= 100, 'is too much') }),
      needsApproval: true,
      execute: async ({ amount }) => {
        await enter(`pay ${amount}`)
        return { paid: amount }
      },
    })
    const pick = createTool({
      name: 'pick',
      description: 'Picks',
      inputSchema: z.object({ from: z.string() }),
      outputSchema: z.object({ picked: z.string() }),
    })
    const config = { id: 'clerk', name: 'Clerk', instructions: 'Help.', model, tools: [pay, pick] }
    return { calls, model, config, agent: createAgent(config), stop: (call: string) => void (stopAt = call) }
  }

  type World = ReturnType<typeof world>

  const workflowOf = (agent: World['agent']) =>
    createWorkflow({ id: 'ask' }, andAgent({ id: 'answer', agent, prompt: 'Pay' }))
  const runs = (process: EngineProcess) => process.store.agentRuns.list({}, ALL)
  const waitingOf = async (process: EngineProcess, executionId: string) => {
    await expect.poll(() => process.status(executionId)).toBe('suspended')
    return ((await process.detail(executionId)).suspension?.data ?? {}) as Waiting
  }
  const approve = (waiting: Waiting, more: object = {}) => ({
    approvals: waiting.approvals?.map(({ approvalId }) => ({ approvalId, approved: true, ...more })),
  })
  /** The dispatcher does the wake job when the system clock reaches its time. */
  const advance = async (process: EngineProcess, id: string, ms: number) => {
    process.clock.advance(ms)
    const job = { kind: 'wake', id, sequence: 0 } as const
    await process.store.dispatcher.change({ add: [{ key: `now:${id}`, job }] })
  }
  const lastPrompt = ({ model }: World) => JSON.stringify(model.calls.at(-1)?.prompt)
  const count = ({ calls }: World, call: string) => calls.filter((each) => each === call).length

  const start = async (test: World) => {
    const process = await engines.start([workflowOf(test.agent)])
    const { executionId } = await process.startExecution('ask', {})
    return { process, executionId, waiting: await waitingOf(process, executionId) }
  }

  it('a run that waits ends with its execution, and so do those of its sub-agents', async () => {
    const inner = world([[['pay', { amount: 5 }]]])
    const middle = createAgent({
      ...inner.config,
      id: 'middle',
      model: scriptedModel([{ toolCalls: [{ toolName: 'ask_clerk', input: { prompt: 'Pay' } }] }]),
      tools: [],
      subAgents: [inner.agent],
    })
    const outer = createAgent({
      ...inner.config,
      id: 'outer',
      model: scriptedModel([{ toolCalls: [{ toolName: 'ask_middle', input: { prompt: 'Pay' } }] }]),
      tools: [],
      subAgents: [middle],
    })
    const process = await engines.start([workflowOf(outer)])
    const { executionId } = await process.startExecution('ask', {})
    await waitingOf(process, executionId)
    expect((await runs(process)).map(({ status }) => status)).toEqual(Array(3).fill('suspended'))
    await process.engine.executions.cancel({ executionId })
    const ended = await runs(process)
    expect(ended.map(({ status, endedAt, expiresAt }) => [status, endedAt !== null, expiresAt])).toEqual(
      Array.from({ length: 3 }, () => ['aborted', true, null]),
    )
    expect(await Promise.all(ended.map(({ id }) => process.store.agentRuns.continuation(id)))).toEqual([
      null,
      null,
      null,
    ])
  })

  it('a tool that needs approval suspends the execution, which resumes with the decision', async () => {
    const test = world([[['pay', { amount: 5 }]]])
    const { process, executionId, waiting } = await start(test)
    const { suspension } = await process.detail(executionId)
    expect(suspension).toMatchObject({ stepId: 'answer', reason: 'approval of pay' })
    expect(Object.keys(waiting)).toEqual(['approvals'])
    expect(waiting.approvals).toMatchObject([{ toolName: 'pay', input: { amount: 5 }, agentId: 'clerk' }])
    expect(test.calls).toEqual(['model 0'])
    expect(await runs(process)).toMatchObject([{ status: 'suspended', requester: 'step' }])
    const result = await process.resume(executionId, approve(waiting))
    expect(result).toMatchObject({ status: 'completed', result: { text: 'Done.' } })
    expect(test.calls).toEqual(['model 0', 'pay 5', 'model 1'])
    expect(await runs(process)).toMatchObject([{ status: 'completed' }])
  })

  it('edited arguments are used, and a denied call goes on with the reason for the model', async () => {
    const test = world([
      [
        ['pay', { amount: 5 }],
        ['pay', { amount: 6 }],
      ],
    ])
    const { process, executionId, waiting } = await start(test)
    const [first, second] = waiting.approvals ?? []
    await process.resume(executionId, {
      approvals: [
        { approvalId: second?.approvalId, approved: false, reason: 'Not this one' },
        { approvalId: first?.approvalId, approved: true, input: { amount: 7 } },
      ],
    })
    expect(test.calls).toEqual(['model 0', 'pay 7', 'model 1'])
    expect(lastPrompt(test)).toContain('Not this one')
  })

  it.each([
    ['nothing', () => undefined, 'resumeData'],
    ['another field', () => ({ approved: true }), 'approved'],
    ['no response', () => ({ approvals: [] }), 'resumeData.approvals'],
    [
      'another approval',
      () => ({ approvals: [{ approvalId: 'forged', approved: true }] }),
      'resumeData.approvals[0].approvalId',
    ],
    [
      'two responses to one call',
      (id: string) => ({
        approvals: [
          { approvalId: id, approved: true },
          { approvalId: id, approved: false },
        ],
      }),
      'resumeData.approvals[1].approvalId',
    ],
    [
      'no decision',
      (id: string) => ({ approvals: [{ approvalId: id }] }),
      'resumeData.approvals[0].approved',
    ],
    [
      'arguments that the tool refuses',
      (id: string) => ({ approvals: [{ approvalId: id, approved: true, input: { amount: 101 } }] }),
      'resumeData.approvals[0].input.amount: is too much',
    ],
    [
      'the output of no call',
      (id: string) => ({
        approvals: [{ approvalId: id, approved: true }],
        toolOutputs: [{ toolCallId: 'x', output: 1 }],
      }),
      'resumeData.toolOutputs[0].toolCallId',
    ],
  ])('a resume with %s is refused, and nothing is lost', async (_, data, field) => {
    const test = world([[['pay', { amount: 5 }]]])
    const { process, executionId, waiting } = await start(test)
    const wrong = process.resume(executionId, data(waiting.approvals?.[0]?.approvalId ?? ''))
    await expect(wrong).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(field) as string,
    })
    expect(await process.resume(executionId, approve(waiting))).toMatchObject({ status: 'completed' })
    expect(test.calls).toEqual(['model 0', 'pay 5', 'model 1'])
  })

  it('a tool of the client suspends the execution, which resumes with its output', async () => {
    const test = world([[['pick', { from: 'list' }]]])
    const { process, executionId, waiting } = await start(test)
    expect(waiting).toMatchObject({ toolCalls: [{ toolName: 'pick', input: { from: 'list' } }] })
    const toolCallId = waiting.toolCalls?.[0]?.toolCallId
    const outputs = (output: unknown) => ({ toolOutputs: [{ toolCallId, output }] })
    await expect(process.resume(executionId, outputs({ picked: 1 }))).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('resumeData.toolOutputs[0].output.picked') as string,
    })
    const result = await process.resume(executionId, outputs({ picked: 'b' }))
    expect(result).toMatchObject({ status: 'completed', result: { text: 'Done.' } })
    expect(lastPrompt(test)).toContain('"picked":"b"')
  })

  it('an agent waits again for calls that it makes after it was resumed', async () => {
    const test = world([[['pay', { amount: 1 }]], [['pay', { amount: 2 }]]])
    const { process, executionId, waiting } = await start(test)
    expect(await process.resume(executionId, approve(waiting))).toMatchObject({ status: 'suspended' })
    await expect(process.resume(executionId, approve(waiting))).rejects.toMatchObject({
      code: 'invalid_input',
    })
    await process.resume(executionId, approve(await waitingOf(process, executionId)))
    expect(test.calls).toEqual(['model 0', 'pay 1', 'model 1', 'pay 2', 'model 2'])
    expect(await runs(process)).toHaveLength(1)
  })

  it('a sub-agent of a step waits with it', async () => {
    const test = world([[['pay', { amount: 5 }]]])
    const model = scriptedModel([
      { toolCalls: [{ toolName: 'ask_clerk', input: { prompt: 'Pay' } }] },
      'The clerk is done.',
    ])
    const boss = createAgent({ id: 'boss', name: 'B', instructions: 'Ask.', model, subAgents: [test.agent] })
    const process = await engines.start([workflowOf(boss)])
    const { executionId } = await process.startExecution('ask', {})
    const waiting = await waitingOf(process, executionId)
    expect(waiting.approvals).toMatchObject([{ agentId: 'clerk', toolName: 'pay' }])
    const result = await process.resume(executionId, approve(waiting))
    expect(result).toMatchObject({ status: 'completed', result: { text: 'The clerk is done.' } })
    expect(test.calls).toEqual(['model 0', 'pay 5', 'model 1'])
    expect((await runs(process)).map(({ status }) => status)).toEqual(['completed', 'completed'])
  })

  it('items of a loop wait each with a run of their own', async () => {
    const test = world([[['pay', { amount: 5 }]]])
    const step = andAgent({ id: 'answer', agent: test.agent, prompt: ({ data }) => `Pay ${String(data)}` })
    const workflow = createWorkflow({ id: 'ask' }, andForEach({ id: 'each', step, items: () => ['a', 'b'] }))
    const process = await engines.start([workflow])
    const { executionId } = await process.startExecution('ask', {})
    const first = await waitingOf(process, executionId)
    expect(await process.resume(executionId, approve(first))).toMatchObject({ status: 'suspended' })
    const second = await waitingOf(process, executionId)
    expect(second).not.toEqual(first)
    expect(await process.resume(executionId, approve(second))).toMatchObject({ status: 'completed' })
    expect(await runs(process)).toHaveLength(2)
    expect(count(test, 'pay 5')).toBe(2)
  })

  it.each([
    ['andDoWhile', andDoWhile, (round: number) => round < 2],
    ['andDoUntil', andDoUntil, (round: number) => round === 2],
  ] as const)('rounds of %s wait each with a run of their own', async (_, loop, isMet) => {
    const test = world([[['pay', { amount: 5 }]]])
    let rounds = 0
    const step = andAgent({ id: 'answer', agent: test.agent, prompt: 'Pay' })
    const repeated = loop({ id: 'loop', step, condition: () => isMet(++rounds) })
    const process = await engines.start([createWorkflow({ id: 'ask' }, repeated)])
    const { executionId } = await process.startExecution('ask', {})
    const first = await waitingOf(process, executionId)
    expect(await process.resume(executionId, approve(first))).toMatchObject({ status: 'suspended' })
    const second = await waitingOf(process, executionId)
    expect(second).not.toEqual(first)
    expect(await process.resume(executionId, approve(second))).toMatchObject({
      status: 'completed',
      result: { text: 'Done.' },
    })
    expect((await runs(process)).map(({ status }) => status)).toEqual(['completed', 'completed'])
    expect(test.calls).toEqual(['model 0', 'pay 5', 'model 1', 'model 0', 'pay 5', 'model 1'])
  })

  it('a run that waits ends, with those of its sub-agents, when its step loses a race', async () => {
    const test = world([[['pay', { amount: 5 }]]])
    const boss = createAgent({
      ...test.config,
      id: 'boss',
      model: scriptedModel([{ toolCalls: [{ toolName: 'ask_clerk', input: { prompt: 'Pay' } }] }]),
      tools: [],
      subAgents: [test.agent],
    })
    const answer = andAgent({ id: 'answer', agent: boss, prompt: 'Pay' })
    const wait = andThen({
      id: 'wait',
      suspendTimeout: '1h',
      execute: ({ timedOut, suspend }) => (timedOut ? 'late' : suspend('a while')),
    })
    const gate = andThen({ id: 'gate', execute: ({ suspend }) => suspend('for good') })
    const race = andRace({ id: 'first', steps: [answer, wait] })
    const process = await engines.start([createWorkflow({ id: 'ask' }, race, gate)])
    const { executionId } = await process.startExecution('ask', {})
    await waitingOf(process, executionId)
    await advance(process, executionId, 3_600_000)
    await expect.poll(async () => (await process.detail(executionId)).suspension?.stepId).toBe('gate')
    const ended = await runs(process)
    expect(ended.map(({ status, expiresAt }) => [status, expiresAt])).toEqual([
      ['aborted', null],
      ['aborted', null],
    ])
    expect(ended.find(({ agentId }) => agentId === 'boss')?.usage).toContain('inputTokens')
  })

  it('calls that nobody responds to within suspendTimeout are refused, and the agent goes on', async () => {
    const test = world(
      [
        [
          ['pay', { amount: 5 }],
          ['pick', { from: 'x' }],
        ],
      ],
      'Never mind.',
    )
    const step = andAgent({
      id: 'answer',
      agent: test.agent,
      prompt: 'Pay',
      suspendTimeout: '1h',
      map: ({ result, timedOut }) => ({ text: result.text, timedOut }),
    })
    const process = await engines.start([createWorkflow({ id: 'ask' }, step)])
    const { executionId } = await process.startExecution('ask', {})
    await waitingOf(process, executionId)
    await advance(process, executionId, 3_600_000)
    await expect.poll(() => process.status(executionId)).toBe('completed')
    expect((await process.detail(executionId)).output).toEqual({ text: 'Never mind.', timedOut: true })
    expect(test.calls).toEqual(['model 0', 'model 1'])
    expect(lastPrompt(test).match(/There was no response in time/g)).toHaveLength(2)
  })

  it('calls of a step without suspendTimeout expire with approvals.timeout', async () => {
    const test = world([[['pay', { amount: 5 }]]])
    const { process, executionId } = await start(test)
    await advance(process, executionId, 7 * 24 * 3_600_000)
    await expect.poll(() => process.status(executionId)).toBe('completed')
    expect(test.calls).toEqual(['model 0', 'model 1'])
  })

  it('the approvals survive the process, and a crash while the agent goes on', async () => {
    const test = world([[['pay', { amount: 1 }]], [['pay', { amount: 2 }]]])
    const { process: first, executionId, waiting } = await start(test)
    await first.crash()
    const second = await engines.next(first)
    test.stop('pay 1')
    second.resume(executionId, approve(waiting)).catch(() => undefined)
    await until(() => test.calls.includes('pay 1'), 'the approved call')
    await second.crash()
    test.stop('')
    const third = await engines.next(second)
    const again = await waitingOf(third, executionId)
    expect(again.approvals).toMatchObject([{ input: { amount: 2 } }])
    expect(await third.resume(executionId, approve(again))).toMatchObject({ status: 'completed' })
    // only the call that was in progress is repeated
    expect(test.calls).toEqual(['model 0', 'pay 1', 'pay 1', 'model 1', 'pay 2', 'model 2'])
    expect(await runs(third)).toHaveLength(1)
  })

  it('a sub-agent goes on behind its last recorded call after a crash', async () => {
    const test = world([
      [
        ['pay', { amount: 1 }],
        ['pay', { amount: 2 }],
      ],
    ])
    const model = scriptedModel([
      { toolCalls: [{ toolName: 'ask_clerk', input: { prompt: 'Pay' } }] },
      'The clerk is done.',
    ])
    const boss = createAgent({ id: 'boss', name: 'B', instructions: 'Ask.', model, subAgents: [test.agent] })
    const first = await engines.start([workflowOf(boss)])
    const { executionId } = await first.startExecution('ask', {})
    const waiting = await waitingOf(first, executionId)
    test.stop('pay 2')
    first.resume(executionId, approve(waiting)).catch(() => undefined)
    await until(() => test.calls.includes('pay 2'), 'the approved call')
    await first.crash()
    test.stop('')
    const next = await engines.next(first)
    await expect.poll(() => next.status(executionId)).toBe('completed')
    expect(count(test, 'pay 2')).toBe(2)
    expect(count(test, 'model 1')).toBe(1)
    expect(await runs(next)).toHaveLength(2)
  })

  it('a replay of the step asks anew, and a replay of a later one keeps its answer', async () => {
    const test = world([[['pay', { amount: 5 }]]])
    const after = andThen({ id: 'after', execute: ({ data }) => ({ data }) })
    const ask = andAgent({ id: 'answer', agent: test.agent, prompt: 'Pay' })
    const process = await engines.start([createWorkflow({ id: 'ask' }, ask, after)])
    const { executionId } = await process.startExecution('ask', {})
    await process.resume(executionId, approve(await waitingOf(process, executionId)))
    const replay = (stepId: string) =>
      process.engine.executions.replay({ executionId }, stepId, { decider: CODE_DECIDES })
    await (await replay('after')).result()
    expect(await runs(process)).toHaveLength(1)
    const again = await replay('answer')
    await process.resume(again.executionId, approve(await waitingOf(process, again.executionId)))
    expect(count(test, 'pay 5')).toBe(2)
    expect(await runs(process)).toHaveLength(2)
  })

  it('the run of a step gets its responses by resuming the execution only', async () => {
    const test = world([[['pay', { amount: 5 }]]])
    const process = await engines.start([workflowOf(test.agent)], { agents: [test.agent] })
    const { executionId } = await process.startExecution('ask', {})
    const waiting = await waitingOf(process, executionId)
    const [run] = await runs(process)
    const responses = { approvals: approve(waiting).approvals ?? [], toolOutputs: [] }
    const signal = new AbortController().signal
    const responding = process.engine.agents.continue('clerk', {
      kind: 'respond',
      runId: run?.id ?? '',
      decider: CODE_DECIDES,
      responses,
      signal,
    })
    await expect(responding).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(executionId) as string,
    })
  })
}
