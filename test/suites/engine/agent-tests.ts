import { expect, it } from 'vitest'
import { z } from 'zod'
import { type AgentConfig } from '../../../src/agent/agent.ts'
import { createAgent } from '../../../src/agent/create-agent.ts'
import { demoModel } from '../../../src/agent/models/demo/demo-model.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andAgent } from '../../../src/workflow/steps/and-agent.ts'
import { scripted } from '../../support/model/scripted.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Engines } from './engine-suite.ts'

const agentWith = (config: Partial<AgentConfig> = {}) =>
  createAgent({ id: 'helper', name: 'Helper', instructions: 'Help.', model: demoModel(), ...config })

/** A model that never responds, with promises of its call and of the abort of that call. */
function silentModel() {
  const model = scripted('')
  let tellAsked = () => undefined as void
  let tellLeft = () => undefined as void
  const requested = new Promise<void>((resolve) => (tellAsked = resolve))
  const left = new Promise<void>((resolve) => (tellLeft = resolve))
  model.doGenerate = ({ abortSignal }) =>
    new Promise((_resolve, reject) => {
      tellAsked()
      abortSignal?.addEventListener('abort', () => {
        tellLeft()
        reject(abortSignal.reason as Error)
      })
    })
  return { model, asked: requested, left }
}

const workflowOf = (agent: ReturnType<typeof agentWith>) =>
  createWorkflow(
    { id: 'ask', name: 'Ask', inputSchema: z.object({ q: z.string() }) },
    andAgent({
      id: 'answer',
      agent,
      prompt: ({ data }) => data.q,
    }),
  )

/** Agents that are called by steps and by clients. */
export function agentTests(engines: Engines): void {
  const all = { limit: 100, offset: 0 }
  const runs = (process: EngineProcess) => process.store.agentRuns.list({}, all)

  it('a run is recorded with its input, in the trace of its execution', async () => {
    const process = await engines.start([workflowOf(agentWith())])
    const started = await process.startExecution('ask', { q: 'Good morning' }, { userId: 'ann' })
    await started.result()
    const [run] = await process.engine.history.list({ agentId: 'helper' }, all)
    expect(run).toMatchObject({
      input: 'Good morning',
      status: 'completed',
      userId: 'ann',
      model: 'demo/demo',
    })
    expect(run?.output).toContain('Good morning')
    expect(run?.traceId).toBe((await process.detail(started.executionId)).metadata.traceId)
  })

  it('a step chooses the schema of the answer by what is known when it runs', async () => {
    const model = scripted('{"kind":"b"}')
    const process = await engines.start([
      createWorkflow({ id: 'choose' })
        .andThen({ id: 'kinds', execute: () => ['a', 'b'] })
        .andAgent({
          id: 'answer',
          agent: agentWith({ model }),
          prompt: 'Choose',
          schema: ({ results }) => z.object({ kind: z.enum(results.kinds) }),
        })
        .andThen({ id: 'end', execute: ({ data }) => data.kind }),
      createWorkflow({ id: 'none' }).andAgent({
        id: 'answer',
        agent: agentWith({ model }),
        prompt: 'Choose',
        schema: (() => 5) as never,
      }),
    ])
    expect((await process.execute('choose')).result).toBe('b')
    expect(JSON.stringify(model.calls[0]?.responseFormat)).toContain('["a","b"]')
    const { error } = await process.executeFailing('none')
    expect(error?.message).toMatch(/^the result of schema must be a Standard Schema/)
  })

  it('the conversation of the execution is the memory of its agents', async () => {
    const model = scripted('Fine')
    const process = await engines.start([workflowOf(agentWith({ model }))])
    for (const q of ['One', 'Two'])
      await process.execute('ask', { q }, { conversationId: 'talk', userId: 'ann' })
    expect(model.calls[1]?.prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    await process.execute('ask', { q: 'Three' }, { conversationId: 'talk', userId: 'bob' })
    expect(model.calls[2]?.prompt).toHaveLength(2)
  })

  it('a failed run is recorded with its error', async () => {
    const model = scripted('')
    model.doGenerate = () => Promise.reject(new Error('out of order'))
    const process = await engines.start([workflowOf(agentWith({ model }))])
    const { error } = await process.executeFailing('ask', { q: 'x' })
    expect(error?.message).toBe('out of order')
    expect(await runs(process)).toMatchObject([{ status: 'error', error: 'out of order' }])
  })

  it('a run is aborted when its execution is cancelled', async () => {
    const { model, asked, left } = silentModel()
    const process = await engines.start([workflowOf(agentWith({ model }))])
    const { executionId } = await process.startExecution('ask', { q: 'x' })
    await asked
    expect(process.engine.agents.running.has('helper')).toBe(true)
    await process.engine.executions.cancel({ executionId })
    await left
    await process.engine.agents.idle()
    expect(await runs(process)).toMatchObject([{ status: 'aborted' }])
    expect(process.engine.agents.running.has('helper')).toBe(false)
  })

  it('a run of a step that a crash interrupted is continued with its step', async () => {
    const { model, asked } = silentModel()
    const first = await engines.start([workflowOf(agentWith({ model }))])
    const { executionId } = await first.startExecution('ask', { q: 'x' })
    await asked
    await first.crash()
    const next = await engines.next(first, [workflowOf(agentWith())])
    await expect.poll(() => next.status(executionId)).toBe('completed')
    expect(await runs(next)).toMatchObject([{ status: 'completed' }])
  })

  it('a run of a client that a crash interrupted is recorded as failed', async () => {
    const { model, asked } = silentModel()
    const first = await engines.start([], { agents: [agentWith({ model })] })
    const call = { input: 'x', signal: new AbortController().signal, delivery: 'text' } as const
    first.engine.agents.text('helper', call).catch(() => undefined)
    await asked
    await first.crash()
    const next = await engines.next(first)
    expect(await runs(next)).toMatchObject([
      { status: 'error', error: 'The server stopped before the answer was complete' },
    ])
  })

  it('a run of a step stops with its step when the server stops, and is continued with it', async () => {
    const { model, asked } = silentModel()
    const process = await engines.start([workflowOf(agentWith({ model }))])
    const { executionId } = await process.startExecution('ask', { q: 'x' })
    await asked
    await process.stop(10)
    const next = await engines.next(process, [workflowOf(agentWith())])
    await expect.poll(() => next.status(executionId)).toBe('completed')
    expect(await runs(next)).toMatchObject([{ status: 'completed' }])
  })

  it('a run of a client is aborted when it does not end within the grace period of the stop', async () => {
    const { model, asked } = silentModel()
    const process = await engines.start([], { agents: [agentWith({ model })] })
    const call = { input: 'x', signal: new AbortController().signal }
    const answered = process.engine.agents.text('helper', call).catch((error: unknown) => error)
    await asked
    await process.engine.stop({ graceMs: 10 })
    expect(await answered).toMatchObject({ code: 'unavailable' })
    expect(await runs(process)).toMatchObject([{ status: 'aborted' }])
  })

  it('a run holds its generation until it ends', async () => {
    const process = await engines.start([], { agents: [agentWith()] })
    const call = { input: 'x', signal: new AbortController().signal }
    const answered = process.engine.agents.text('helper', call)
    expect(process.holds).toBe(1)
    await answered
    expect(process.holds).toBe(0)
  })
}
