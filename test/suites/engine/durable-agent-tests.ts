import { expect, it } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../../src/agent/create-agent.ts'
import type { AgentConfig } from '../../../src/agent/agent.ts'
import { createTool } from '../../../src/agent/tools/create-tool.ts'
import { scriptedModel, type ScriptedAnswer } from '../../../src/testing/scripted-model.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andAgent } from '../../../src/workflow/steps/and-agent.ts'
import { until } from '../../support/until.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Engines } from './engine-suite.ts'

const ALL = { limit: 100, offset: 0 }
const usage = { inputTokens: 10, outputTokens: 5 }

/** Agents of steps, and agents with `resumable`. */
export function durableAgentTests(engines: Engines): void {
  /** Answers by the results of tools in the conversation, as a model does; `calls` has a line for each call of model and tool. */
  function world(tools = 3) {
    const calls: string[] = []
    /** Where the process stops: the call never returns. */
    let stopAt = ''
    const enter = async (call: string) => {
      calls.push(call)
      if (call === stopAt) await new Promise(() => undefined)
    }
    const answer: ScriptedAnswer = ({ prompt }) => {
      const results = prompt.filter(({ role }) => role === 'tool').length
      calls.push(`model ${results}`)
      return results < tools
        ? { text: `Step ${results}. `, toolCalls: [{ toolName: 'work', input: { n: results } }], usage }
        : { text: 'Done.', usage }
    }
    const inner = scriptedModel([answer], { repeatLast: true })
    const hangs = () => calls.at(-1) === stopAt
    const model = {
      ...inner,
      doGenerate: async (...args: Parameters<typeof inner.doGenerate>) => {
        const result = await inner.doGenerate(...args)
        if (hangs()) await new Promise(() => undefined)
        return result
      },
      doStream: async (...args: Parameters<typeof inner.doStream>) => {
        const result = await inner.doStream(...args)
        if (hangs()) await new Promise(() => undefined)
        return result
      },
    }
    const work = createTool({
      name: 'work',
      description: 'Works',
      inputSchema: z.object({ n: z.number() }),
      execute: async ({ n }, { idempotencyKey = '' }) => {
        keys.add(idempotencyKey)
        await enter(`tool ${n}`)
        return { n }
      },
    })
    const keys = new Set<string>()
    return {
      calls,
      keys,
      model,
      work,
      stop: (call: string) => void (stopAt = call),
      stopped: () => until(() => calls.includes(stopAt), stopAt),
    }
  }

  const agentOf = ({ model, work }: ReturnType<typeof world>, config: Partial<AgentConfig> = {}) =>
    createAgent({ id: 'helper', name: 'Helper', instructions: 'Help.', model, tools: [work], ...config })
  const workflowOf = (agent: ReturnType<typeof agentOf>) =>
    createWorkflow({ id: 'ask' }, andAgent({ id: 'answer', agent, prompt: 'Work' }))
  const runs = (process: EngineProcess) => process.store.agentRuns.list({}, ALL)
  const count = (calls: readonly string[], call: string) => calls.filter((each) => each === call).length
  const once = ['model 0', 'tool 0', 'model 1', 'tool 1', 'model 2', 'tool 2', 'model 3']

  it.each(once)(
    'the agent of a step continues behind its last recorded call, after a crash at %s',
    async (at) => {
      const test = world()
      test.stop(at)
      const first = await engines.start([workflowOf(agentOf(test))])
      const { executionId } = await first.startExecution('ask', {})
      await test.stopped()
      await first.crash()
      test.stop('')
      const next = await engines.next(first)
      await expect.poll(() => next.status(executionId)).toBe('completed')
      for (const call of once) expect([call, count(test.calls, call)]).toEqual([call, call === at ? 2 : 1])
      expect(test.keys.size).toBe(3)
      expect((await next.detail(executionId)).output).toEqual({ text: 'Done.' })
      const [run, ...others] = await runs(next)
      expect(others).toEqual([])
      expect(run).toMatchObject({ status: 'completed', requester: 'step', parentId: executionId })
      expect(JSON.parse(run?.usage ?? '')).toMatchObject({ inputTokens: 40, outputTokens: 20 })
    },
  )

  it('a step is not blamed for crashes between which its agent makes progress', async () => {
    const test = world(6)
    let now = await engines.start([workflowOf(agentOf(test))])
    test.stop('tool 0')
    const { executionId } = await now.startExecution('ask', {})
    for (const at of ['tool 0', 'tool 1', 'tool 2', 'tool 3', 'tool 4', 'tool 5']) {
      test.stop(at)
      await test.stopped()
      await now.crash()
      test.stop(at.replace(/\d/, (n) => String(Number(n) + 1)))
      now = await engines.next(now)
    }
    await expect.poll(() => now.status(executionId)).toBe('completed')
    expect(count(test.calls, 'model 3')).toBe(1)
  })

  it('a step whose agent ends the process at the same call each time fails with CrashLoopError', async () => {
    const test = world()
    test.stop('tool 1')
    let now = await engines.start([workflowOf(agentOf(test))])
    const { executionId } = await now.startExecution('ask', {})
    // the first one came after progress
    for (let crash = 1; crash <= 4; crash++) {
      await until(() => count(test.calls, 'tool 1') === crash, `crash ${crash}`)
      await now.crash()
      now = await engines.next(now)
    }
    await expect.poll(() => now.status(executionId)).toBe('error')
    expect((await now.detail(executionId)).error).toMatchObject({ name: 'CrashLoopError' })
    expect(count(test.calls, 'model 0')).toBe(1)
    await now.engine.agents.recover()
    expect(await runs(now)).toMatchObject([{ status: 'error' }])
  })

  it('sub-agents of a step continue behind their last recorded call', async () => {
    const test = world()
    const expert = agentOf(test, { id: 'expert' })
    const model = scriptedModel([
      { toolCalls: [{ toolName: 'ask_expert', input: { prompt: 'Work' } }], usage },
      { text: 'The expert is done.', usage },
    ])
    const agent = createAgent({ id: 'boss', name: 'Boss', instructions: 'Ask.', model, subAgents: [expert] })
    test.stop('tool 1')
    const first = await engines.start([workflowOf(agent)])
    const { executionId } = await first.startExecution('ask', {})
    await test.stopped()
    await first.crash()
    test.stop('')
    const next = await engines.next(first)
    await expect.poll(() => next.status(executionId)).toBe('completed')
    for (const call of once)
      expect([call, count(test.calls, call)]).toEqual([call, call === 'tool 1' ? 2 : 1])
    expect(model.calls).toHaveLength(2)
    const all = await runs(next)
    expect(all.map(({ agentId, status }) => `${agentId} ${status}`).toSorted()).toEqual([
      'boss completed',
      'expert completed',
    ])
    const boss = all.find(({ agentId }) => agentId === 'boss')
    expect(JSON.parse(boss?.usage ?? '')).toMatchObject({ inputTokens: 60, outputTokens: 30 })
  })

  it('an answer that completed before its step noticed that is not requested again', async () => {
    const test = world(1)
    const first = await engines.start([workflowOf(agentOf(test))])
    const { executionId } = await first.startExecution('ask', {})
    test.stop('tool 0')
    await test.stopped()
    const [run] = await runs(first)
    const answer = { output: '"Known."', usage: JSON.stringify(usage), steps: '[]', error: null }
    await first.store.agentRuns.finish(run?.id ?? '', {
      ...answer,
      status: 'completed',
      endedAt: first.clock.now(),
    })
    await first.crash()
    const next = await engines.next(first)
    await expect.poll(() => next.status(executionId)).toBe('completed')
    expect((await next.detail(executionId)).output).toEqual({ text: 'Known.' })
    expect(await runs(next)).toHaveLength(1)
  })

  const call = { input: 'Work', signal: new AbortController().signal }
  const ended = async (process: EngineProcess) => {
    await expect.poll(async () => (await runs(process))[0]?.status).not.toBe('running')
    return (await runs(process))[0]
  }

  it.each(['text', 'chat'] as const)(
    'a resumable answer over %s continues behind its last recorded call',
    async (delivery) => {
      const test = world()
      test.stop('tool 1')
      const agent = agentOf(test, { resumable: true })
      const first = await engines.start([], { agents: [agent] })
      const input = [{ role: 'user', parts: [{ type: 'text', text: 'Work' }] }]
      const format = { read: (stream: { parts(): AsyncIterable<object> }) => stream.parts() }
      const ends = { finished: () => ({}), failed: () => ({}), aborted: () => ({}) }
      if (delivery === 'text')
        first.engine.agents.text('helper', { ...call, delivery }).catch(() => undefined)
      else await first.engine.agents.stream('helper', { ...call, input, delivery }, { ...format, ...ends })
      await test.stopped()
      await first.crash()
      test.stop('')
      const next = await engines.next(first)
      expect(await ended(next)).toMatchObject({ status: 'completed', output: '"Done."' })
      for (const each of once)
        expect([each, count(test.calls, each)]).toEqual([each, each === 'tool 1' ? 2 : 1])
    },
  )

  it('a resumable answer that ends the process at the same call each time ends with an error', async () => {
    const test = world()
    test.stop('tool 1')
    let now = await engines.start([], { agents: [agentOf(test, { resumable: true })] })
    now.engine.agents.text('helper', { ...call, delivery: 'text' }).catch(() => undefined)
    // the first one came after progress
    for (let crash = 1; crash <= 4; crash++) {
      await until(() => count(test.calls, 'tool 1') === crash, `crash ${crash}`)
      await now.crash()
      now = await engines.next(now)
    }
    expect(await ended(now)).toMatchObject({ status: 'error', error: expect.stringContaining('3 times') })
    expect(count(test.calls, 'tool 1')).toBe(4)
  })

  it('a resumable answer is not blamed for crashes between which its sub-agent makes progress', async () => {
    const test = world(6)
    const expert = agentOf(test, { id: 'expert' })
    const model = scriptedModel([
      { toolCalls: [{ toolName: 'ask_expert', input: { prompt: 'Work' } }], usage },
      { text: 'The expert is done.', usage },
    ])
    const boss = { id: 'boss', name: 'Boss', instructions: 'Ask.', resumable: true }
    const agents = [createAgent({ ...boss, model, subAgents: [expert] })]
    let now = await engines.start([], { agents })
    test.stop('tool 0')
    now.engine.agents.text('boss', { ...call, delivery: 'text' }).catch(() => undefined)
    for (const at of ['tool 0', 'tool 1', 'tool 2', 'tool 3', 'tool 4', 'tool 5']) {
      test.stop(at)
      await test.stopped()
      await now.crash()
      test.stop(at.replace(/\d/, (n) => String(Number(n) + 1)))
      now = await engines.next(now)
    }
    await expect
      .poll(async () => (await runs(now)).map(({ status }) => status))
      .toEqual(['completed', 'completed'])
    expect(model.calls).toHaveLength(2)
  })

  it('a resumable answer continues in the next process when the server stops', async () => {
    const test = world()
    test.stop('tool 1')
    const first = await engines.start([], { agents: [agentOf(test, { resumable: true })] })
    const answered = first.engine.agents.text('helper', { ...call, delivery: 'text' }).catch(() => 'stopped')
    await test.stopped()
    await first.stop(10)
    expect(await answered).toBe('stopped')
    test.stop('')
    const next = await engines.next(first)
    expect(await ended(next)).toMatchObject({ status: 'completed' })
    expect(count(test.calls, 'model 0')).toBe(1)
  })

  it('an answer is resumable only by its agent or its request', async () => {
    const test = world(0)
    const agents = [agentOf(test), agentOf(test, { id: 'kept', resumable: true })]
    const { engine, store } = await engines.start([], { agents })
    const ask = async (id: string, resumable?: boolean) => {
      const { id: runId } = await engine.agents.text(id, {
        ...call,
        delivery: 'text',
        options: { resumable },
      })
      return (await store.executions.get(runId)) !== undefined
    }
    expect(await ask('helper')).toBe(false)
    expect(await ask('helper', true)).toBe(true)
    expect(await ask('kept')).toBe(true)
    expect(await ask('kept', false)).toBe(false)
  })
}
