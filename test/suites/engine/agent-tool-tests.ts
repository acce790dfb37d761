import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { CODE_DECIDES } from '../../../src/contract/access/decision.ts'
import { createAgent } from '../../../src/agent/create-agent.ts'
import type { Agent, AgentConfig } from '../../../src/agent/agent.ts'
import { createTool } from '../../../src/agent/tools/create-tool.ts'
import { scriptedModel, type ScriptedAnswer } from '../../../src/testing/scripted-model.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andAgent } from '../../../src/workflow/steps/and-agent.ts'
import { until } from '../../support/until.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Engines } from './engine-suite.ts'

const usage = { inputTokens: 10, outputTokens: 5 }

/** Tools of agents that make recorded calls. */
export function agentToolTests(engines: Engines): void {
  const agent = (config: Partial<AgentConfig>) =>
    createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Help.', ...config })
  const asks = (...questions: string[]) => ({
    toolCalls: questions.map((question) => ({ toolName: 'ask', input: { question } })),
    usage,
  })
  const ask = createTool({
    name: 'ask',
    description: 'Asks the user',
    inputSchema: z.object({ question: z.string() }),
    execute: async ({ question }, { step }) => {
      const { answer } = await step.suspend('answer', {
        data: { question },
        resumeSchema: z.object({ answer: z.string() }),
      })
      return answer
    },
  })
  /** The results of tools in the prompt of the model's last call. */
  const answers: ScriptedAnswer = ({ prompt }) => {
    const results = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []))
    const texts = results.map((part) => JSON.stringify('output' in part ? part.output : null))
    return { text: `The answers: ${texts.join()}`, usage }
  }
  const chain = (one: Agent) =>
    createWorkflow({ id: 'w' }, andAgent({ id: 'clerk', agent: one, prompt: 'Hi' }))
  const waiting = async (process: EngineProcess, executionId: string) =>
    (await process.detail(executionId)).steps.flatMap(({ path, status }) =>
      status === 'suspended' && path?.endsWith('/answer') ? [path] : [],
    )
  const runs = async ({ store }: EngineProcess) =>
    (await store.agentRuns.list({}, { limit: 10, offset: 0 })).map(
      ({ agentId, status }) => `${agentId} ${status}`,
    )

  it('a tool of an agent waits in its middle, and the answer goes on with what it gets', async () => {
    const model = scriptedModel([asks('Where?'), answers])
    const process = await engines.start([chain(agent({ model, tools: [ask] }))])
    const { executionId, status } = await process.execute('w')
    expect(status).toBe('suspended')
    expect(await runs(process)).toEqual(['clerk suspended'])
    const [path = ''] = await waiting(process, executionId)
    expect(path).toMatch(/^clerk\/tool-.+\/answer$/)
    expect(await process.resume(executionId, { answer: 'Here' }, path)).toMatchObject({
      status: 'completed',
      result: { text: 'The answers: {"type":"text","value":"Here"}' },
    })
    expect(model.calls).toHaveLength(2)
    expect(await runs(process)).toEqual(['clerk completed'])
    const [run] = await process.store.agentRuns.list({}, { limit: 10, offset: 0 })
    expect(JSON.parse(run?.usage ?? '')).toMatchObject({ inputTokens: 20, outputTokens: 10 })
  })

  it('a tool waits over the end of its process', async () => {
    const model = scriptedModel([asks('Where?'), answers])
    const first = await engines.start([chain(agent({ model, tools: [ask] }))])
    const { executionId } = await first.execute('w')
    await first.crash()
    const next = await engines.next(first)
    expect(await next.resume(executionId, { answer: 'Here' })).toMatchObject({
      result: { text: 'The answers: {"type":"text","value":"Here"}' },
    })
    expect(model.calls).toHaveLength(2)
  })

  it('parts of a tool are recorded: a crash in its middle repeats the rest', async () => {
    const done: string[] = []
    let stopAt = 'b'
    const book = createTool({
      name: 'book',
      description: 'Books',
      inputSchema: z.object({}),
      execute: async (_, { step }) => {
        for (const part of ['a', 'b', 'c'])
          await step.run(part, async () => {
            done.push(part)
            if (part === stopAt) await new Promise(() => undefined)
            return part
          })
        return 'booked'
      },
    })
    const model = scriptedModel([{ toolCalls: [{ toolName: 'book', input: {} }] }, answers])
    const first = await engines.start([chain(agent({ model, tools: [book] }))])
    const { executionId } = await first.startExecution('w')
    await until(() => done.includes('b'), 'b')
    await first.crash()
    stopAt = ''
    const next = await engines.next(first)
    await expect.poll(() => next.status(executionId)).toBe('completed')
    expect(done).toEqual(['a', 'b', 'b', 'c'])
    expect((await next.steps(executionId)).map((line) => line.replace(/tool-[^/ ]+/, 'tool'))).toEqual([
      'clerk completed 2',
      'clerk/tool completed 1',
      'clerk/tool/a completed 1',
      'clerk/tool/b completed 2',
      'clerk/tool/c completed 1',
    ])
  })

  it('two tools wait beside each other and beside one that works, whose result is kept', async () => {
    const worked: string[] = []
    const work = createTool({
      name: 'work',
      description: 'Works',
      inputSchema: z.object({}),
      execute: async () => {
        await new Promise((resolve) => setTimeout(resolve, 20))
        worked.push('done')
        return 'worked'
      },
    })
    const turn = asks('Where?', 'When?')
    const model = scriptedModel([
      { ...turn, toolCalls: [...turn.toolCalls, { toolName: 'work', input: {} }] },
      answers,
    ])
    const process = await engines.start([chain(agent({ model, tools: [ask, work] }))])
    const { executionId } = await process.execute('w')
    const paths = await waiting(process, executionId)
    expect(paths).toHaveLength(2)
    expect(await process.resume(executionId, { answer: 'one' }, paths[0])).toMatchObject({
      status: 'suspended',
    })
    expect(await process.resume(executionId, { answer: 'two' }, paths[1])).toMatchObject({
      result: { text: expect.stringContaining('"one"') as string },
    })
    expect(worked).toEqual(['done'])
    expect(model.calls).toHaveLength(2)
  })

  it('a tool of a sub-agent waits', async () => {
    const inner = scriptedModel([asks('Where?'), answers])
    const expertAgent = agent({ id: 'expert', model: inner, tools: [ask] })
    const outer = scriptedModel([
      { toolCalls: [{ toolName: 'ask_expert', input: { prompt: 'Find out' } }] },
      answers,
    ])
    const lead = agent({ id: 'lead', model: outer, subAgents: [expertAgent] })
    const first = await engines.start([chain(lead)])
    const { executionId } = await first.execute('w')
    await first.crash()
    const next = await engines.next(first)
    expect(await next.resume(executionId, { answer: 'Here' })).toMatchObject({
      status: 'completed',
      result: { text: expect.stringContaining('Here') as string },
    })
    expect([inner.calls.length, outer.calls.length]).toEqual([2, 2])
  })

  it('a tool waits, another call is approved, and both are made once', async () => {
    const refunded: number[] = []
    const refund = createTool({
      name: 'refund',
      description: 'Refunds',
      inputSchema: z.object({ amount: z.number() }),
      needsApproval: true,
      execute: async ({ amount }, { step }) => {
        await step.run('pay', () => void refunded.push(amount))
        const { answer } = await step.suspend('answer', { resumeSchema: z.object({ answer: z.string() }) })
        return answer
      },
    })
    const model = scriptedModel([
      { toolCalls: [{ toolName: 'refund', input: { amount: 5 } }] },
      asks('Where?'),
      answers,
    ])
    const clerk = agent({ model, tools: [ask, refund] })
    const flow = createWorkflow({
      id: 'w',
      uses: [clerk],
      run: async ({ step }) => (await step.agent('clerk', clerk, { prompt: 'Hi' })).text,
    })
    const process = await engines.start([flow])
    const { executionId } = await process.execute('w')
    const { suspension } = await process.detail(executionId)
    const asked = suspension?.data as { approvals: { approvalId: string }[] } | undefined
    const approvals = asked?.approvals.map(({ approvalId }) => ({ approvalId, approved: true }))
    expect(await process.resume(executionId, { approvals })).toMatchObject({ status: 'suspended' })
    expect(await process.resume(executionId, { answer: 'paid' })).toMatchObject({ status: 'suspended' })
    expect(await process.resume(executionId, { answer: 'Here' })).toMatchObject({
      result: expect.stringContaining('"paid"') as string,
    })
    expect(refunded).toEqual([5])
    expect(model.calls).toHaveLength(3)
  })

  it('a tool that sleeps or waits for an event goes on by itself', async () => {
    const later = createTool({
      name: 'later',
      description: 'Waits',
      inputSchema: z.object({}),
      execute: async (_, { step }) => {
        await step.sleep('nap', '2h')
        return (await step.waitForEvent('paid', { event: 'paid', timeout: '1d' })) as { n: number }
      },
    })
    const model = scriptedModel([{ toolCalls: [{ toolName: 'later', input: {} }] }, answers])
    const process = await engines.start([chain(agent({ model, tools: [later] }))])
    const { executionId, status } = await process.execute('w')
    expect(status).toBe('suspended')
    process.clock.advance(2 * 3_600_000)
    const job = { kind: 'wake', id: executionId, sequence: 0 } as const
    await process.store.dispatcher.change({ add: [{ key: 'now', job }] })
    await until(
      async () => (await process.detail(executionId)).steps.some(({ path }) => path?.endsWith('/paid')),
      'the event to be awaited',
    )
    await expect.poll(() => process.status(executionId)).toBe('suspended')
    await process.engine.executions.sendEvent({ name: 'paid', data: { n: 7 } })
    await expect.poll(() => process.status(executionId)).toBe('completed')
    expect((await process.detail(executionId)).output).toMatchObject({
      text: expect.stringContaining('7') as string,
    })
  })

  it('a tool that fails after a recorded call is an error for the model', async () => {
    const fail = createTool({
      name: 'fail',
      description: 'Fails',
      inputSchema: z.object({}),
      execute: async (_, { step }) => {
        await step.run('a', () => 1)
        throw new Error('secret')
      },
    })
    const model = scriptedModel([{ toolCalls: [{ toolName: 'fail', input: {} }] }, answers])
    const process = await engines.start([chain(agent({ model, tools: [fail] }))])
    const { executionId, result } = (await process.execute('w')) as { executionId: string; result?: unknown }
    expect(result).toMatchObject({ text: expect.stringContaining('error-text') as string })
    expect((await process.steps(executionId)).map((line) => line.replace(/tool-[^/ ]+/, 'tool'))).toEqual([
      'clerk completed 1',
      'clerk/tool error 1',
      'clerk/tool/a completed 1',
    ])
  })

  it('an execution is cancelled while a tool waits', async () => {
    const model = scriptedModel([asks('Where?'), answers])
    const process = await engines.start([chain(agent({ model, tools: [ask] }))])
    const { executionId } = await process.execute('w')
    await process.cancel(executionId)
    await expect.poll(() => runs(process)).toEqual(['clerk aborted'])
    expect((await process.steps(executionId)).map((line) => line.replace(/tool-[^/ ]+/, 'tool'))).toEqual([
      'clerk cancelled 1',
      'clerk/tool cancelled 1',
      'clerk/tool/answer cancelled 1',
    ])
  })

  describe('in a recorded answer to a client', () => {
    const call = { input: 'Hi', signal: new AbortController().signal, delivery: 'text' as const }
    const start = (one: Agent) => engines.start([], { agents: [one] })
    const recorded = (config: Partial<AgentConfig>) => agent({ resumable: true, ...config })
    const resume = ({ engine }: EngineProcess, runId: string, resumeData: unknown, stepId?: string) =>
      engine.agents.continue('clerk', {
        kind: 'resume',
        runId,
        stepId,
        resumeData,
        decider: CODE_DECIDES,
        signal: call.signal,
      })

    it('a tool waits, and the answer goes on in the next process', async () => {
      const model = scriptedModel([asks('Where?'), answers])
      const first = await start(recorded({ model, tools: [ask] }))
      const { id, finishReason, waits } = await first.engine.agents.text('clerk', call)
      expect([finishReason, waits?.length]).toEqual(['suspended', 1])
      await first.crash()
      const next = await engines.next(first)
      expect(await runs(next)).toEqual(['clerk suspended'])
      expect(await resume(next, id, { answer: 'Here' })).toMatchObject({
        id,
        text: expect.stringContaining('Here') as string,
      })
      expect(model.calls).toHaveLength(2)
      expect(await runs(next)).toEqual(['clerk completed'])
      await expect
        .poll(() => next.store.executions.get(id))
        .toMatchObject({ kind: 'answer', status: 'completed' })
    })

    it('a crash in the middle of a tool repeats the rest of it', async () => {
      const done: string[] = []
      let stopAt = 'b'
      const book = createTool({
        name: 'book',
        description: 'Books',
        inputSchema: z.object({}),
        execute: async (_, { step }) => {
          for (const part of ['a', 'b', 'c'])
            await step.run(part, async () => {
              done.push(part)
              if (part === stopAt) await new Promise(() => undefined)
              return part
            })
          return 'booked'
        },
      })
      const model = scriptedModel([{ toolCalls: [{ toolName: 'book', input: {} }] }, answers])
      const first = await start(recorded({ model, tools: [book] }))
      first.engine.agents.text('clerk', call).catch(() => undefined)
      await until(() => done.includes('b'), 'b')
      await first.crash()
      stopAt = ''
      const next = await engines.next(first)
      await expect.poll(() => runs(next)).toEqual(['clerk completed'])
      expect(done).toEqual(['a', 'b', 'b', 'c'])
      expect(model.calls).toHaveLength(2)
    })

    it('a tool that ends the process again and again fails the answer', async () => {
      let began = 0
      const crash = createTool({
        name: 'crash',
        description: 'Crashes',
        inputSchema: z.object({}),
        execute: async (_, { step }) => {
          await step.run('a', async () => {
            began++
            await new Promise(() => undefined)
          })
        },
      })
      const model = scriptedModel([{ toolCalls: [{ toolName: 'crash', input: {} }] }, answers])
      let now = await start(recorded({ model, tools: [crash] }))
      now.engine.agents.text('clerk', call).catch(() => undefined)
      for (let count = 1; count <= 3; count++) {
        await until(() => began === count, `crash ${count}`)
        await now.crash()
        now = await engines.next(now)
      }
      await expect.poll(() => runs(now)).not.toEqual(['clerk running'])
      expect(model.calls.length).toBeLessThanOrEqual(2)
    })

    it('an approved call makes recorded calls, also of an answer that was not recorded before', async () => {
      const refunded: number[] = []
      const refund = createTool({
        name: 'refund',
        description: 'Refunds',
        inputSchema: z.object({ amount: z.number() }),
        needsApproval: true,
        execute: async ({ amount }, { step }) => {
          await step.run('pay', () => void refunded.push(amount))
          const { answer } = await step.suspend('answer', { resumeSchema: z.object({ answer: z.string() }) })
          return answer
        },
      })
      const model = scriptedModel([{ toolCalls: [{ toolName: 'refund', input: { amount: 5 } }] }, answers])
      const first = await start(agent({ model, tools: [refund] }))
      const { id, approvals = [] } = await first.engine.agents.text('clerk', call)
      const responses = {
        approvals: approvals.map(({ approvalId }) => ({ approvalId, approved: true })),
        toolOutputs: [],
      }
      const { signal } = call
      expect(
        await first.engine.agents.continue('clerk', {
          kind: 'respond',
          runId: id,
          responses,
          decider: CODE_DECIDES,
          signal,
        }),
      ).toMatchObject({ finishReason: 'suspended', waits: [{ stepId: 'answer' }] })
      await first.crash()
      const next = await engines.next(first)
      expect(await resume(next, id, { answer: 'paid' })).toMatchObject({
        text: expect.stringContaining('paid') as string,
      })
      expect(refunded).toEqual([5])
    })

    it('a recorded answer waits for an approval after a tool has waited', async () => {
      const pay = createTool({
        name: 'pay',
        description: 'Pays',
        inputSchema: z.object({}),
        needsApproval: true,
        execute: () => 'paid',
      })
      const model = scriptedModel([asks('Where?'), { toolCalls: [{ toolName: 'pay', input: {} }] }, answers])
      const process = await start(recorded({ model, tools: [ask, pay] }))
      const { id } = await process.engine.agents.text('clerk', call)
      const second = await resume(process, id, { answer: 'Here' })
      expect(second).toMatchObject({ finishReason: 'approval-required' })
      const responses = {
        approvals: (second.approvals ?? []).map(({ approvalId }) => ({ approvalId, approved: true })),
        toolOutputs: [],
      }
      const { signal } = call
      expect(
        await process.engine.agents.continue('clerk', {
          kind: 'respond',
          runId: id,
          responses,
          decider: CODE_DECIDES,
          signal,
        }),
      ).toMatchObject({ finishReason: 'stop', text: expect.stringContaining('paid') as string })
      await expect.poll(() => process.store.executions.get(id)).toMatchObject({ status: 'completed' })
    })

    it('ends when it is cancelled while a tool waits, and goes with its run', async () => {
      const model = scriptedModel([asks('Where?'), answers])
      const process = await start(recorded({ model, tools: [ask] }))
      const { id } = await process.engine.agents.text('clerk', call)
      expect(await process.engine.agents.cancel(id)).toBe(true)
      expect(await runs(process)).toEqual(['clerk aborted'])
      expect(await process.store.executions.get(id)).toMatchObject({ status: 'cancelled' })
      await process.store.agentRuns.prune({ endedBefore: process.clock.now() + 1, keep: 0 }, 10)
      expect(await process.store.executions.get(id)).toBeUndefined()
    })

    it('a tool that sleeps goes on by itself', async () => {
      const later = createTool({
        name: 'later',
        description: 'Waits',
        inputSchema: z.object({}),
        execute: async (_, { step }) => {
          await step.sleep('nap', '2h')
          return 'rested'
        },
      })
      const model = scriptedModel([{ toolCalls: [{ toolName: 'later', input: {} }] }, answers])
      const process = await start(recorded({ model, tools: [later] }))
      const { id, finishReason } = await process.engine.agents.text('clerk', call)
      expect(finishReason).toBe('suspended')
      process.clock.advance(2 * 3_600_000)
      const job = { kind: 'wake', id, sequence: 0 } as const
      await process.store.dispatcher.change({ add: [{ key: 'now', job }] })
      await expect.poll(() => runs(process)).toEqual(['clerk completed'])
    })

    it('a stop leaves the answer to the next process', async () => {
      const started: string[] = []
      let hangs = true
      const slow = createTool({
        name: 'slow',
        description: 'Slow',
        inputSchema: z.object({}),
        execute: async (_, { step }) => {
          await step.run('a', () => started.push('a'))
          await step.run('b', async () => {
            started.push('b')
            if (hangs) await new Promise(() => undefined)
          })
          return 'done'
        },
      })
      const model = scriptedModel([{ toolCalls: [{ toolName: 'slow', input: {} }] }, answers])
      const first = await start(recorded({ model, tools: [slow] }))
      first.engine.agents.text('clerk', call).catch(() => undefined)
      await until(() => started.includes('b'), 'b')
      await first.stop(10)
      hangs = false
      const next = await engines.next(first)
      await expect.poll(() => runs(next)).toEqual(['clerk completed'])
      expect(started).toEqual(['a', 'b', 'b'])
    })
  })
}
