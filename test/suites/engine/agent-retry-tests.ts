import { expect, it } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../../src/agent/create-agent.ts'
import { createTool } from '../../../src/agent/tools/create-tool.ts'
import { scriptedModel, type ScriptedAnswer } from '../../../src/testing/scripted-model.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andAgent } from '../../../src/workflow/steps/and-agent.ts'
import { until } from '../../support/until.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Engines } from './engine-suite.ts'

const ALL = { limit: 100, offset: 0 }
const usage = { inputTokens: 10, outputTokens: 5 }
const now = { limit: 3, delayMs: 0 }

interface Waiting {
  readonly approvals: readonly { readonly approvalId: string }[]
}

/** Steps whose agent has waited, and then fails. */
export function agentRetryTests(engines: Engines): void {
  /** A clerk who looks, pays when that is approved, and then answers with the texts of `ends`, one for each request. */
  function world(ends: readonly (string | Error)[], { hangs = '' } = {}) {
    const calls: string[] = []
    let end = 0
    const enter = async (call: string) => {
      calls.push(call)
      if (call !== hangs) return
      hangs = ''
      await new Promise(() => undefined)
    }
    const turns = [[['look', {}]], [['pay', { amount: 5 }]], [['look', {}]]] as const
    const answer: ScriptedAnswer = ({ prompt }) => {
      const done = prompt.filter(({ role }) => role === 'assistant').length
      calls.push(`model ${done}`)
      const turn = turns[done]
      if (turn) return { toolCalls: turn.map(([toolName, input]) => ({ toolName, input })), usage }
      const text = ends[end++] ?? 'Done.'
      if (text === 'hang') return { delayMs: Infinity }
      return text instanceof Error ? text : { text, usage }
    }
    const look = createTool({
      name: 'look',
      description: 'Looks',
      inputSchema: z.object({}),
      execute: async () => {
        await enter('look')
        return {}
      },
    })
    const pay = createTool({
      name: 'pay',
      description: 'Pays',
      inputSchema: z.object({ amount: z.number() }),
      needsApproval: true,
      execute: async ({ amount }) => {
        await enter(`pay ${amount}`)
        return { paid: amount }
      },
    })
    const model = scriptedModel([answer], { repeatLast: true })
    const config = { id: 'clerk', name: 'Clerk', instructions: 'Help.', model, tools: [look, pay] }
    return { calls, model, config, agent: createAgent(config) }
  }

  const BEFORE = ['model 0', 'look', 'model 1', 'pay 5', 'model 2', 'look']
  const runs = (process: EngineProcess) => process.store.agentRuns.list({}, ALL)
  const waitingOf = async (process: EngineProcess, executionId: string) => {
    await expect.poll(() => process.status(executionId)).toBe('suspended')
    return (await process.detail(executionId)).suspension?.data as Waiting
  }
  const approve = ({ approvals }: Waiting, more: object = {}) => ({
    approvals: approvals.map(({ approvalId }) => ({ approvalId, approved: true, ...more })),
  })
  const start = async (step: ReturnType<typeof andAgent>) => {
    const process = await engines.start([createWorkflow({ id: 'ask' }, step)])
    const { executionId } = await process.startExecution('ask', {})
    return { process, executionId, waiting: await waitingOf(process, executionId) }
  }
  const ended = async (process: EngineProcess, executionId: string) => {
    await expect.poll(() => process.status(executionId)).not.toBe('running')
    return process.detail(executionId)
  }

  it.each([
    ['its model fails', [new Error('The model is down')], ['model 3', 'model 3']],
    ['it fails twice', [new Error('Down'), new Error('Down')], ['model 3', 'model 3', 'model 3']],
    ['its answer breaks the schema', ['{"ok":"no"}'], ['model 3', 'model 3']],
  ])('an agent that was approved goes on behind its last tool call when %s', async (_, failures, after) => {
    const test = world([...failures, '{"ok":true}'])
    const schema = z.object({ ok: z.boolean() })
    const step = andAgent({ id: 'answer', agent: test.agent, prompt: 'Pay', schema, retries: now })
    const { process, executionId, waiting } = await start(step)
    await process.resume(executionId, approve(waiting))
    expect(await ended(process, executionId)).toMatchObject({ status: 'completed', output: { ok: true } })
    expect(test.calls).toEqual([...BEFORE, ...after])
    const [run, ...others] = await runs(process)
    expect(others).toEqual([])
    expect(run).toMatchObject({ status: 'completed', expiresAt: null, error: null })
    expect(JSON.parse(run?.steps ?? '')).toHaveLength(4)
  })

  it('an answer that map refuses is requested again, and both are counted', async () => {
    const test = world(['Hm.'])
    const map = ({ result: { text } }: { result: { text: string } }) => {
      if (text === 'Hm.') throw new Error('This is no answer')
      return { text }
    }
    const step = andAgent({ id: 'answer', agent: test.agent, prompt: 'Pay', map, retries: now })
    const { process, executionId, waiting } = await start(step)
    await process.resume(executionId, approve(waiting))
    expect(await ended(process, executionId)).toMatchObject({ output: { text: 'Done.' } })
    expect(test.calls).toEqual([...BEFORE, 'model 3', 'model 3'])
    const [run, ...others] = await runs(process)
    expect(others).toEqual([])
    // five calls of the model
    expect(JSON.parse(run?.usage ?? '')).toMatchObject({ inputTokens: 50, outputTokens: 25 })
    const counted = await process.store.usage.callsOfExecution(executionId)
    expect(counted).toMatchObject([{ calls: 5, inputTokens: 50, outputTokens: 25 }])
  })

  it('an agent that was approved goes on with it when its prompt fails', async () => {
    const test = world([])
    let asked = 0
    const prompt = () => {
      if (++asked === 2) throw new Error('No prompt')
      return 'Pay'
    }
    const step = andAgent({ id: 'answer', agent: test.agent, prompt, retries: now })
    const { process, executionId, waiting } = await start(step)
    await process.resume(executionId, approve(waiting))
    expect(await ended(process, executionId)).toMatchObject({ status: 'completed' })
    expect(test.calls).toEqual([...BEFORE, 'model 3'])
  })

  it('an agent that was approved goes on with it when its step takes too long', async () => {
    const test = world([], { hangs: 'pay 5' })
    const options = { timeoutMs: 500, retries: now }
    const step = andAgent({ id: 'answer', agent: test.agent, prompt: 'Pay', ...options })
    const { process, executionId, waiting } = await start(step)
    await process.resume(executionId, approve(waiting, { input: { amount: 5 } }))
    expect(await ended(process, executionId)).toMatchObject({ status: 'completed' })
    // the call that was in progress is repeated
    expect(test.calls).toEqual([...BEFORE.slice(0, 4), 'pay 5', ...BEFORE.slice(4), 'model 3'])
    expect(await runs(process)).toMatchObject([{ status: 'completed' }])
  })

  it('a sub-agent that was approved goes on with it when the step of its agent takes too long', async () => {
    const test = world([], { hangs: 'pay 5' })
    const model = scriptedModel([
      { toolCalls: [{ toolName: 'ask_clerk', input: { prompt: 'Pay' } }] },
      'The clerk is done.',
    ])
    const boss = createAgent({ id: 'boss', name: 'B', instructions: 'Ask.', model, subAgents: [test.agent] })
    const step = andAgent({ id: 'answer', agent: boss, prompt: 'Pay', timeoutMs: 500, retries: now })
    const { process, executionId, waiting } = await start(step)
    await process.resume(executionId, approve(waiting))
    expect(await ended(process, executionId)).toMatchObject({ output: { text: 'The clerk is done.' } })
    expect(test.calls).toEqual([...BEFORE.slice(0, 4), 'pay 5', ...BEFORE.slice(4), 'model 3'])
    expect((await runs(process)).map(({ status }) => status)).toEqual(['completed', 'completed'])
  })

  it('a call that was denied stays denied when its step is retried', async () => {
    const test = world([new Error('Down')])
    const step = andAgent({ id: 'answer', agent: test.agent, prompt: 'Pay', retries: now })
    const { process, executionId, waiting } = await start(step)
    await process.resume(executionId, approve(waiting, { approved: false, reason: 'Too much' }))
    expect(await ended(process, executionId)).toMatchObject({ status: 'completed' })
    expect(test.calls).toEqual(['model 0', 'look', 'model 1', 'model 2', 'look', 'model 3', 'model 3'])
    expect(JSON.stringify(test.model.calls.at(-1)?.prompt)).toContain('Too much')
  })

  it('a run ends with the last error when the retries are used up', async () => {
    const test = world([new Error('Down'), new Error('Still down')])
    const retries = { limit: 1, delayMs: 0 }
    const step = andAgent({ id: 'answer', agent: test.agent, prompt: 'Pay', retries })
    const { process, executionId, waiting } = await start(step)
    await process.resume(executionId, approve(waiting)).catch(() => undefined)
    expect(await ended(process, executionId)).toMatchObject({ status: 'error' })
    expect(test.calls).toEqual([...BEFORE, 'model 3', 'model 3'])
    expect(await runs(process)).toMatchObject([{ status: 'error', error: expect.stringContaining('Still') }])
  })

  const untilRetry = async (process: EngineProcess) => {
    await expect.poll(async () => (await runs(process))[0]?.status).toBe('suspended')
  }

  it('a retry goes on with the approval in the next process', async () => {
    const test = world([new Error('Down')])
    const retries = { limit: 1, delayMs: 60_000, maxDelayMs: 60_000 }
    const step = andAgent({ id: 'answer', agent: test.agent, prompt: 'Pay', retries })
    const { process: first, executionId, waiting } = await start(step)
    first.resume(executionId, approve(waiting)).catch(() => undefined)
    await until(() => test.calls.includes('model 3'), 'the last call')
    await untilRetry(first)
    await first.crash()
    first.clock.advance(60_000)
    const next = await engines.next(first)
    expect(await ended(next, executionId)).toMatchObject({ status: 'completed' })
    expect(test.calls).toEqual([...BEFORE, 'model 3', 'model 3'])
    expect(await runs(next)).toMatchObject([{ status: 'completed' }])
  })

  it('a retry that a crash interrupts goes on behind the calls before the failure', async () => {
    const test = world([new Error('Down'), 'hang'])
    const step = andAgent({ id: 'answer', agent: test.agent, prompt: 'Pay', retries: now })
    const { process: first, executionId, waiting } = await start(step)
    first.resume(executionId, approve(waiting)).catch(() => undefined)
    await until(() => test.calls.filter((call) => call === 'model 3').length === 2, 'the retry')
    await first.crash()
    const next = await engines.next(first)
    expect(await ended(next, executionId)).toMatchObject({ status: 'completed' })
    expect(test.calls).toEqual([...BEFORE, 'model 3', 'model 3', 'model 3'])
    const [run, ...others] = await runs(next)
    expect(others).toEqual([])
    // the calls that were recorded
    expect(JSON.parse(run?.usage ?? '')).toMatchObject({ inputTokens: 40, outputTokens: 20 })
  })

  it('a run that is kept for a retry ends when its execution is cancelled', async () => {
    const test = world([new Error('Down')])
    const retries = { limit: 1, delayMs: 60_000, maxDelayMs: 60_000 }
    const step = andAgent({ id: 'answer', agent: test.agent, prompt: 'Pay', retries })
    const { process, executionId, waiting } = await start(step)
    process.resume(executionId, approve(waiting)).catch(() => undefined)
    await until(() => test.calls.includes('model 3'), 'the last call')
    await untilRetry(process)
    await process.engine.executions.cancel({ executionId })
    expect(await runs(process)).toMatchObject([{ status: 'aborted', expiresAt: null }])
  })
}
