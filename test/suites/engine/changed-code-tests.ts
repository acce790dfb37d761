import { expect, it, vi } from 'vitest'
import { CODE_DECIDES } from '../../../src/contract/access/decision.ts'
import { z } from 'zod'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import type { StepCalls } from '../../../src/step/step-calls.ts'
import type { WorkflowDefinition } from '../../../src/workflow/definition.ts'
import { andAgent } from '../../../src/workflow/steps/and-agent.ts'
import { createAgent } from '../../../src/agent/create-agent.ts'
import { createTool } from '../../../src/agent/tools/create-tool.ts'
import { scriptedModel } from '../../../src/testing/scripted-model.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { andWhen } from '../../../src/workflow/steps/and-when.ts'
import { andSleep } from '../../../src/workflow/steps/and-sleep.ts'
import { andWorkflow } from '../../../src/workflow/steps/and-workflow.ts'
import { andTap } from '../../../src/workflow/steps/and-tap.ts'
import { giving, never, suspending } from './sample-steps.ts'
import type { Engines } from './engine-suite.ts'

/** Code that changes while executions are open. */
export function changedCodeTests(engines: Engines): void {
  const misfits = (...stepIds: readonly string[]) => ({
    code: 'conflict',
    message: expect.stringContaining('does not fit the changed code'),
    beside: { misfits: stepIds.map((stepId) => expect.objectContaining({ stepId })) },
  })

  it.each<
    [
      string,
      (charge: () => string, was?: string) => WorkflowDefinition,
      (charge: () => string) => WorkflowDefinition,
    ]
  >([
    [
      'a chain',
      (charge) => createWorkflow({ id: 'w' }, andThen({ id: 'charge', execute: charge }), suspending('ask')),
      (charge) =>
        createWorkflow(
          { id: 'w' },
          andThen({ id: 'pay', was: 'charge', execute: charge }),
          suspending('ask'),
        ),
    ],
    [
      'a function',
      (charge) =>
        createWorkflow({
          id: 'w',
          run: async ({ step }) => {
            await step.run('charge', charge)
            return step.suspend('ask')
          },
        }),
      (charge) =>
        createWorkflow({
          id: 'w',
          run: async ({ step }) => {
            await step.run('pay', charge, { was: ['paid', 'charge'] })
            return step.suspend('ask')
          },
        }),
    ],
  ])(
    'a step that was renamed in %s has the result of its former id, and does not run again',
    async (_, old, renamed) => {
      const runs: string[] = []
      const charge = () => {
        runs.push('charged')
        return 'c1'
      }
      const process = await engines.start([old(charge)])
      const { executionId } = await process.execute('w')
      process.reload([renamed(charge)])
      expect(await process.resume(executionId, 'yes')).toMatchObject({ status: 'completed', result: 'yes' })
      expect(runs).toEqual(['charged'])
      expect(await process.steps(executionId)).toEqual(['charge completed 1', 'ask completed 1'])
    },
  )

  it('a nested step and the one around it can both be renamed, and keep their idempotency key', async () => {
    const keys: string[] = []
    const nested = (outer: object, inner: object) =>
      createWorkflow(
        { id: 'w' },
        andWhen({
          id: 'outer',
          condition: () => true,
          ...outer,
          step: andThen({
            id: 'inner',
            ...inner,
            execute: ({ idempotencyKey, resumeData, suspend }) => {
              keys.push(idempotencyKey)
              return resumeData ?? suspend('ask')
            },
          }),
        }),
        andThen({
          id: 'after',
          execute: ({ getStepResult }) => getStepResult('inner') ?? getStepResult('in') ?? 0,
        }),
      )
    const process = await engines.start([nested({}, {})])
    const { executionId } = await process.execute('w')
    process.reload([nested({ id: 'out', was: 'outer' }, { id: 'in', was: 'inner' })])
    expect(await process.resume(executionId, 'yes')).toMatchObject({ status: 'completed', result: 'yes' })
    expect(new Set(keys)).toEqual(new Set([`${executionId}:outer/inner`]))
  })

  it.each<[string, readonly WorkflowDefinition['steps'][number][], readonly string[]]>([
    ['was renamed', [giving('pay', 1), suspending('ask')], ['charge', 'pay']],
    ['is gone', [suspending('ask')], ['charge']],
    [
      'was inserted before recorded ones',
      [giving('charge', 1), giving('check', 2), suspending('ask')],
      ['check'],
    ],
    ['is of another kind', [andTap({ id: 'charge', execute: () => 1 }), suspending('ask')], ['charge']],
  ])(
    'nothing of a chain runs when a step %s, and it goes on when the code fits again',
    async (_, steps, named) => {
      const runs: string[] = []
      const last = andThen({ id: 'last', execute: ({ data }) => (runs.push('last'), data) })
      const chain = (...before: readonly WorkflowDefinition['steps'][number][]) =>
        createWorkflow({ id: 'w' }, ...(before as []), last) as WorkflowDefinition
      const process = await engines.start([chain(giving('charge', 1), suspending('ask'))])
      const { executionId } = await process.execute('w')
      process.reload([chain(...steps)])
      await expect(process.resume(executionId, 'yes')).rejects.toMatchObject(misfits(...named))
      expect(runs).toEqual([])
      expect(await process.detail(executionId)).toMatchObject({
        status: 'suspended',
        suspension: { reason: 'changed code', misfits: named.map((stepId) => ({ stepId })) },
      })
      process.reload([chain(giving('charge', 1), suspending('ask'))])
      // the data of the first resume is kept
      expect(await process.resume(executionId)).toMatchObject({ status: 'completed', result: 'yes' })
      expect(runs).toEqual(['last'])
    },
  )

  it('a recorded result must fit the inputSchema after it', async () => {
    const chain = (inputSchema: z.ZodType) =>
      createWorkflow(
        { id: 'w' },
        andThen({
          id: 'ask',
          execute: ({ resumeData, suspend }) => (resumeData as object) ?? suspend('ask'),
        }),
        andThen({ id: 'next', inputSchema, execute: () => 'done' }),
      ) as WorkflowDefinition
    const process = await engines.start([chain(z.unknown())])
    const { executionId } = await process.execute('w', {}, { pauseAt: ['next'] })
    await process.resume(executionId, { total: 'ten' })
    process.reload([chain(z.object({ total: z.number() }))])
    await expect(process.resume(executionId)).rejects.toMatchObject(misfits('next'))
    process.reload([chain(z.object({ total: z.string() }))])
    expect(await process.resume(executionId)).toMatchObject({ status: 'completed', result: 'done' })
  })

  it('an execution whose sleep ends waits where its record does not fit the code', async () => {
    const runs: string[] = []
    const chain = (id: string) =>
      createWorkflow(
        { id: 'w' },
        andThen({ id, execute: () => runs.push(id) }),
        andSleep({ id: 'nap', for: '1h' }),
        andThen({ id: 'last', execute: () => 'done' }),
      ) as WorkflowDefinition
    const before = await engines.start([chain('charge')])
    const { executionId } = await before.execute('w')
    await before.crash()
    const after = await engines.next(before, [chain('pay')])
    after.clock.advance(3_600_001)
    const job = { kind: 'wake', id: executionId, sequence: 0 } as const
    await after.store.dispatcher.change({ add: [{ key: `now:${executionId}`, job }] })
    await expect
      .poll(async () => (await after.detail(executionId)).suspension)
      .toMatchObject({ reason: 'changed code', misfits: [{ stepId: 'charge' }, { stepId: 'pay' }] })
    after.reload([chain('charge')])
    expect(await after.resume(executionId)).toMatchObject({ status: 'completed', result: 'done' })
    expect(runs).toEqual(['charge'])
  })

  it('an execution whose process crashed is not recovered where its record does not fit the code', async () => {
    const runs: string[] = []
    const chain = (...steps: readonly WorkflowDefinition['steps'][number][]) =>
      createWorkflow({ id: 'w' }, ...(steps as [])) as WorkflowDefinition
    const before = await engines.start([chain(giving('charge', 1), never('long'))])
    const { executionId } = await before.startExecution('w')
    await before.recorded(executionId, 'long', 'running')
    await before.crash()
    const long = andThen({ id: 'long', execute: () => runs.push('long') })
    const after = await engines.next(before, [chain(giving('pay', 1), long)])
    await expect.poll(() => after.status(executionId)).toBe('suspended')
    expect(await after.detail(executionId)).toMatchObject({
      suspension: { reason: 'changed code', misfits: [{ stepId: 'charge' }, { stepId: 'pay' }] },
    })
    expect(runs).toEqual([])
    expect(after.logs).toContainEqual(
      expect.objectContaining({ level: 40, msg: expect.stringContaining('does not fit the changed code') }),
    )
  })

  it('a function begins no new call before it has called what is recorded', async () => {
    const runs: string[] = []
    const flow = (...ids: readonly string[]) =>
      createWorkflow({
        id: 'w',
        run: async ({ step }) => {
          for (const id of ids) await step.run(id, () => void runs.push(id))
          const answer = await step.suspend('ask')
          await step.run('last', () => void runs.push('last'))
          return answer
        },
      })
    const process = await engines.start([flow('charge', 'book')])
    const { executionId } = await process.execute('w')
    process.reload([flow('pay', 'book')])
    await expect(process.resume(executionId, 'yes')).rejects.toMatchObject(misfits('charge', 'book'))
    expect(runs).toEqual(['charge', 'book'])
    expect(await process.detail(executionId)).toMatchObject({
      suspension: {
        reason: 'changed code',
        misfits: [{ reason: expect.stringContaining('calls "pay"') }, {}],
      },
    })
    // the other order, and a new call at the same time, are no misfits
    process.reload([
      createWorkflow({
        id: 'w',
        run: async ({ step }) => {
          const [answer] = await Promise.all([
            step.suspend('ask'),
            step.run('new', () => void runs.push('new')),
            step.run('book', () => 0),
            step.run('charge', () => 0),
          ])
          return answer
        },
      }),
    ])
    expect(await process.resume(executionId)).toMatchObject({ status: 'completed', result: 'yes' })
    expect(runs).toEqual(['charge', 'book', 'new'])
  })

  it('an execution whose changes were accepted runs the code as it is, also after a crash', async () => {
    const runs: string[] = []
    const chain = (id: string) =>
      createWorkflow(
        { id: 'w' },
        andThen({ id, execute: () => runs.push(id) }),
        suspending('ask'),
        andThen({ id: 'next', execute: ({ resumeData, suspend }) => resumeData ?? suspend('next') }),
        andThen({ id: 'last', execute: ({ data }) => (runs.push('last'), data) }),
      ) as WorkflowDefinition
    const before = await engines.start([chain('charge')])
    const { executionId } = await before.execute('w')
    before.reload([chain('pay')])
    await expect(before.resume(executionId, 'yes')).rejects.toMatchObject(misfits('charge', 'pay'))
    expect((await before.detail(executionId)).suspension).toMatchObject({
      reason: 'changed code',
      hint: expect.stringContaining('options.acceptChanges'),
    })
    expect(await before.acceptChanges(executionId)).toMatchObject({
      status: 'suspended',
      suspension: { reason: 'next' },
    })
    expect(runs).toEqual(['charge', 'pay'])
    expect(await before.detail(executionId)).toMatchObject({
      acceptedChanges: { as: 'code', over: 'code', at: expect.any(String) },
    })
    expect(await before.events(executionId)).toContainEqual(
      expect.objectContaining({ type: 'workflow-resumed', acceptChanges: true }),
    )
    await before.crash()
    const after = await engines.next(before, [chain('pay')])
    expect(await after.resume(executionId, 'done')).toMatchObject({ status: 'completed', result: 'done' })
    expect(runs).toEqual(['charge', 'pay', 'last'])
  })

  it('accepting changes ignores what a function does not call any more', async () => {
    const runs: string[] = []
    const flow = (id: string) =>
      createWorkflow({
        id: 'w',
        run: async ({ step }) => {
          await step.run(id, () => void runs.push(id))
          return step.suspend('ask')
        },
      })
    const process = await engines.start([flow('charge')])
    const { executionId } = await process.execute('w')
    process.reload([flow('pay')])
    expect(await process.acceptChanges(executionId, 'yes')).toMatchObject({
      status: 'completed',
      result: 'yes',
    })
    expect(runs).toEqual(['charge', 'pay'])
  })

  it('accepting changes goes on without the suspended step when it is gone', async () => {
    const chain = (...steps: readonly WorkflowDefinition['steps'][number][]) =>
      createWorkflow({ id: 'w' }, ...(steps as [])) as WorkflowDefinition
    const process = await engines.start([chain(giving('charge', 1), suspending('ask'), giving('last', 2))])
    const { executionId } = await process.execute('w')
    process.reload([chain(giving('charge', 1), giving('last', 3))])
    await expect(process.resume(executionId, 'yes')).rejects.toMatchObject({
      beside: { misfits: [{ stepId: 'ask' }] },
    })
    await expect(process.acceptChanges(executionId, 'yes')).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('"ask" is gone'),
    })
    expect(await process.acceptChanges(executionId)).toMatchObject({ status: 'completed', result: 3 })
    expect(await process.steps(executionId)).toEqual([
      'charge completed 1',
      'ask cancelled 1',
      'last completed 1',
    ])
  })

  it('accepting changes cancels the child of a step that is gone, and ends the agent that waited with one', async () => {
    const child = createWorkflow({ id: 'child' }, suspending('q'))
    const pay = createTool({
      name: 'pay',
      description: 'Pays',
      inputSchema: z.object({}),
      needsApproval: true,
      execute: () => 'paid',
    })
    const model = scriptedModel([{ toolCalls: [{ toolName: 'pay', input: {} }] }])
    const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Help.', model, tools: [pay] })
    const last = suspending('last')
    const flow = createWorkflow({ id: 'w' })
      .andAll({
        id: 'both',
        steps: [
          andWorkflow({ id: 'sub', workflow: child }),
          andAgent({ id: 'answer', agent: clerk, prompt: 'Pay' }),
        ],
      })
      .and(last)
    const process = await engines.start([child, flow])
    const { executionId } = await process.execute('w')
    const childId = await process.child(executionId)
    process.reload([child, createWorkflow({ id: 'w' }, last)])
    expect(await process.acceptChanges(executionId)).toMatchObject({
      status: 'suspended',
      suspension: { stepId: 'last' },
    })
    await expect.poll(() => process.status(childId)).toBe('cancelled')
    const runs = () => process.store.agentRuns.list({}, { limit: 10, offset: 0 })
    await expect.poll(async () => (await runs()).map(({ status }) => status)).toEqual(['aborted'])
  })

  it('a function whose changes were accepted ends without the child that it does not call any more', async () => {
    const child = createWorkflow({ id: 'child' }, suspending('q'))
    const flow = (...calls: readonly ('sub' | 'ask')[]) =>
      createWorkflow({
        id: 'w',
        run: async ({ step }) => {
          await Promise.all(
            calls.map((id) => (id === 'sub' ? step.workflow(id, child, {}) : step.suspend(id))),
          )
          return 'done'
        },
      })
    const process = await engines.start([child, flow('sub', 'ask')])
    const { executionId } = await process.execute('w')
    const childId = await process.child(executionId)
    process.reload([child, flow('ask')])
    const options = { acceptChanges: true, stepId: 'ask', decider: CODE_DECIDES }
    expect(await process.engine.executions.resume({ executionId }, 1, options)).toMatchObject({
      status: 'completed',
      result: 'done',
    })
    expect(await process.steps(executionId)).toEqual(
      expect.arrayContaining(['sub cancelled 1', 'ask completed 1']),
    )
    await expect.poll(() => process.status(childId)).toBe('cancelled')
  })

  it('accepting changes of a parent accepts those of the child that it waits for', async () => {
    const child = (id: string) =>
      createWorkflow({ id: 'child' }, giving(id, 1), suspending('ask')) as WorkflowDefinition
    const parent = (of: WorkflowDefinition) =>
      createWorkflow({ id: 'w' }, andWorkflow({ id: 'sub', workflow: of }))
    const before = child('charge')
    const process = await engines.start([before, parent(before)])
    const { executionId } = await process.execute('w')
    const after = child('pay')
    process.reload([after, parent(after)])
    expect(await process.acceptChanges(executionId, 'yes')).toMatchObject({
      status: 'completed',
      result: 'yes',
    })
  })

  it('an execution goes on by itself, with what it was given, when the code that fits is served', async () => {
    const runs: string[] = []
    const chain = (id: string) =>
      createWorkflow(
        { id: 'w' },
        giving(id, 1),
        suspending('ask'),
        andThen({ id: 'last', execute: ({ data, resumedBy }) => (runs.push(`last ${resumedBy?.id}`), data) }),
      ) as WorkflowDefinition
    const process = await engines.start([chain('charge')])
    const [one, other] = [await process.execute('w'), await process.execute('w')]
    process.reload([chain('pay')])
    const ada = { user: { id: 'ada' }, by: 'user' } as const
    const resume = (data: unknown) =>
      process.engine.executions.resume({ executionId: one.executionId }, data, {
        decider: { ...CODE_DECIDES, ...ada },
      })
    await expect(resume('yes')).rejects.toMatchObject({ code: 'conflict' })
    const events = await process.story(one.executionId)
    await process.engine.executions.lookAgain()
    expect(await process.story(one.executionId)).toEqual(events)
    process.reload([chain('charge')])
    await Promise.all([process.engine.executions.lookAgain(), process.engine.executions.lookAgain()])
    await expect.poll(() => process.status(one.executionId)).toBe('completed')
    expect(await process.detail(one.executionId)).toMatchObject({ output: 'yes', resumedBy: 'ada' })
    expect(runs).toEqual(['last ada'])
    // it was never stopped
    expect(await process.detail(other.executionId)).toMatchObject({ suspension: { reason: 'ask asks' } })
  })

  it('one look goes through all executions that wait for changed code', async () => {
    const chain = (id: string) =>
      createWorkflow({ id: 'w' }, giving(id, 1), suspending('ask')) as WorkflowDefinition
    const process = await engines.start([chain('charge')])
    const { executionId } = await process.execute('w')
    process.reload([chain('pay')])
    await expect(process.resume(executionId, 'yes')).rejects.toMatchObject({ code: 'conflict' })
    process.reload([chain('charge')])
    const { executions } = process.store
    const [waiting] = await executions.list({ changedCode: true }, { limit: 1, offset: 0 })
    // ten thousand others are newer
    const all = [...Array.from({ length: 10_000 }, (_, n) => ({ ...waiting!, id: `other-${n}` })), waiting!]
    vi.spyOn(executions, 'list').mockImplementation(async (_, { limit, offset }) =>
      all.slice(offset, offset + limit),
    )
    const history = executions.history.bind(executions)
    vi.spyOn(executions, 'history').mockImplementation(async (id) =>
      id === executionId ? history(id) : undefined,
    )
    await process.engine.executions.lookAgain()
    await expect.poll(() => process.status(executionId)).toBe('completed')
  })

  it('an execution that waited for changed code goes on at the start of a server whose code fits', async () => {
    const flow = (id: string) =>
      createWorkflow({
        id: 'w',
        run: async ({ step }) => {
          await step.run(id, () => 0)
          return step.waitForEvent('paid', { event: 'paid' })
        },
      })
    const before = await engines.start([flow('charge')])
    const { executionId } = await before.execute('w')
    await before.crash()
    const changed = await engines.next(before, [flow('pay')])
    await changed.engine.executions.sendEvent({ name: 'paid', data: 7 })
    await expect
      .poll(async () => (await changed.detail(executionId)).suspension)
      .toMatchObject({ reason: 'changed code' })
    await changed.crash()
    const after = await engines.next(changed, [flow('charge')])
    await after.engine.executions.lookAgain()
    await expect.poll(() => after.detail(executionId)).toMatchObject({ status: 'completed', output: 7 })
  })

  it('an execution that fits again returns to what it waits for', async () => {
    const flow = (id: string) =>
      createWorkflow({
        id: 'w',
        run: async ({ step }) => {
          await step.run(id, () => 0)
          return Promise.all([step.suspend('legal'), step.suspend('finance')])
        },
      })
    const process = await engines.start([flow('charge')])
    const { executionId } = await process.execute('w')
    process.reload([flow('pay')])
    await expect(process.resume(executionId, 'yes', 'legal')).rejects.toMatchObject({ code: 'conflict' })
    process.reload([flow('charge')])
    await process.engine.executions.lookAgain()
    await expect.poll(async () => (await process.detail(executionId)).suspension?.stepId).toBe('finance')
    expect(await process.resume(executionId, 'no', 'finance')).toMatchObject({ result: ['yes', 'no'] })
  })

  it('a suspended execution that fitted the code before a reload, and does not after it, is told once', async () => {
    const flow = (id: string, isEdited = false) =>
      createWorkflow({
        id: 'w',
        run: isEdited
          ? ({ step }) => step.run(id, () => 0).then(() => step.suspend('ask'))
          : async ({ step }) => {
              await step.run(id, () => 0)
              return step.suspend('ask')
            },
      })
    const process = await engines.start([flow('charge')])
    await process.execute('w')
    const before = process.registry
    process.reload([flow('charge', true)])
    const compare = (old: typeof before) => process.engine.executions.noLongerFitting(old, 10)
    expect(await compare(before)).toEqual([])
    const same = process.registry
    process.reload([flow('pay')])
    expect(await compare(same)).toEqual([
      { id: 'w', fits: 0, misfits: 1, examples: [expect.objectContaining({ stepId: 'charge' })] },
    ])
    const changed = process.registry
    process.reload([flow('pay', true)])
    expect(await compare(changed)).toEqual([])
    expect(await process.engine.executions.checkOpen(10)).toMatchObject([{ id: 'w', misfits: 1 }])
  })

  it('an execution whose steps are compensated is none that does not fit', async () => {
    const undone = createDeferred<void>()
    const flow = createWorkflow({
      id: 'w',
      run: async ({ step }) => {
        await step.run('charge', () => 'c1', { compensate: () => undone.promise })
        return step.suspend('ask')
      },
    })
    const process = await engines.start([flow])
    const { executionId } = await process.execute('w')
    const cancelled = process.cancel(executionId)
    await process.reached(executionId, 'charge:compensate')
    expect(await process.engine.executions.checkOpen(10)).toEqual([
      { id: 'w', fits: 1, misfits: 0, examples: [] },
    ])
    undone.resolve()
    await cancelled
  })

  it('a call that follows from a random number is told as such', async () => {
    let passes = 0
    const flow = createWorkflow({
      id: 'w',
      run: async ({ step }) => {
        await step.run(`id-${++passes}`, () => 0)
        return step.suspend('ask')
      },
    })
    const process = await engines.start([flow])
    const { executionId } = await process.execute('w')
    await expect(process.resume(executionId, 1)).rejects.toMatchObject({
      message: expect.stringContaining('its code is the same: what it calls follows from the time'),
    })
  })

  it('waits whose ids differ in every pass end with an error that names them', async () => {
    let passes = 0
    const flow = createWorkflow({
      id: 'w',
      run: ({ step }: { step: StepCalls }) => step.suspend(`ask-${++passes}`),
    })
    const process = await engines.start([flow])
    const { executionId } = await process.execute('w')
    for (let n = 0; n < 99; n++) await process.resume(executionId, n)
    await expect(process.resume(executionId, 0)).rejects.toMatchObject({
      code: 'execution_failed',
      cause: { name: 'UnstableIdsError', message: expect.stringContaining('such as "ask-99" and "ask-100"') },
    })
  })
}
