import { expect, it } from 'vitest'
import { z } from 'zod'
import { CODE_DECIDES } from '../../../src/contract/access/decision.ts'
import type { ExecutionResult } from '../../../src/contract/event.ts'
import type { ReplayOptions } from '../../../src/engine/executions/replay.ts'
import type { ResumeOptions } from '../../../src/engine/executions/resume.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andAll } from '../../../src/workflow/steps/and-all.ts'
import { andForEach } from '../../../src/workflow/steps/and-for-each.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { andWhen } from '../../../src/workflow/steps/and-when.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Engines } from './engine-suite.ts'
import { gated, giving } from './sample-steps.ts'

const adding = (id: string, ran: string[] = []) =>
  andThen({
    id,
    execute: ({ data }): string => {
      ran.push(id)
      return `${typeof data === 'string' ? data : ''}${id}`
    },
  })

const continueRun = (process: EngineProcess, executionId: string, options: Partial<ResumeOptions> = {}) =>
  process.engine.executions.resume({ executionId }, undefined, { decider: CODE_DECIDES, ...options })

/** Where an execution waits, with the data of the step; its output when it has completed. */
const placeOf = ({ suspension, result }: ExecutionResult) =>
  suspension ? [suspension.reason, suspension.stepId, suspension.data] : result

/** Executions that suspend before steps. */
export function breakpointTests(engines: Engines): void {
  it('an execution suspends before a step with its data, and runs the step when it is resumed', async () => {
    const ran: string[] = []
    const steps = [adding('a', ran), adding('b', ran), adding('c', ran)] as const
    const process = await engines.start([createWorkflow({ id: 'w' }, ...steps)])
    const paused = await process.execute('w', {}, { pauseAt: ['b'] })
    expect(placeOf(paused)).toEqual(['breakpoint', 'b', 'a'])
    expect(ran).toEqual(['a'])
    const { executionId } = paused
    expect(await process.detail(executionId)).toMatchObject({ status: 'suspended', pauseAt: ['b'] })
    expect(placeOf(await continueRun(process, executionId))).toBe('abc')
    expect(ran).toEqual(['a', 'b', 'c'])
    expect((await process.events(executionId)).filter(({ from }) => from === 'b')).toHaveLength(2)
  })

  it('an execution runs to the next step, also of groups, and then without breakpoints to its end', async () => {
    const group = andWhen({ id: 'group', condition: () => true, step: adding('inner') })
    const process = await engines.start([createWorkflow({ id: 'w' }, adding('a'), group, adding('z'))])
    const first = await process.execute('w', {}, { pauseAt: ['*'] })
    const seen = [first]
    for (let step = 0; step < 2; step++) seen.push(await continueRun(process, first.executionId))
    expect(seen.map((result) => result.suspension?.stepId)).toEqual(['a', 'group', 'inner'])
    expect(placeOf(await continueRun(process, first.executionId, { pauseAt: ['z'] }))).toEqual([
      'breakpoint',
      'z',
      'ainner',
    ])
    expect(placeOf(await continueRun(process, first.executionId, { pauseAt: [] }))).toBe('ainnerz')
  })

  it('the data of the step is edited before it runs, and what does not fit its schema is refused', async () => {
    const price = andThen({
      id: 'price',
      inputSchema: z.object({ amount: z.number() }),
      execute: ({ data }) => data.amount * 2,
    })
    const order = createWorkflow({ id: 'w' }, giving('a', { amount: 1 }), price)
    const process = await engines.start([order])
    const { executionId } = await process.execute('w', {}, { pauseAt: ['price'] })
    await expect(continueRun(process, executionId, { data: { amount: 'x' } })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('options.data.amount'),
    })
    await expect(process.resume(executionId, true)).rejects.toThrow(/resumeData: .* breakpoint/)
    expect(placeOf(await continueRun(process, executionId, { data: { amount: 21 } }))).toBe(42)
    expect(await process.step(executionId, 'price')).toMatchObject({ input: { amount: 21 } })
    expect((await process.events(executionId)).find(({ type }) => type === 'workflow-resumed')).toMatchObject(
      {
        stepId: 'price',
        data: { amount: 21 },
      },
    )
  })

  it('data for a step that waits for something else is refused', async () => {
    const asks = andThen({ id: 'ask', execute: ({ suspend, resumeData }) => resumeData ?? suspend('ok?') })
    const process = await engines.start([createWorkflow({ id: 'w' }, asks)])
    const { executionId } = await process.execute('w')
    await expect(continueRun(process, executionId, { data: 1 })).rejects.toThrow(
      /options\.data: .* not suspended at a breakpoint/,
    )
    expect(await process.status(executionId)).toBe('suspended')
  })

  it('an unknown step is refused with the ids of the known ones', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, adding('a'), adding('b'))])
    const message = /options\.pauseAt: the workflow "w" has no step "x"; its steps are a, b/
    await expect(process.startExecution('w', {}, { pauseAt: ['x'] })).rejects.toThrow(message)
    const { executionId } = await process.execute('w', {}, { pauseAt: ['b'] })
    await expect(continueRun(process, executionId, { pauseAt: ['x'] })).rejects.toThrow(message)
    const replay = process.engine.executions.replay({ executionId }, 'a', {
      pauseAt: ['x'],
      decider: CODE_DECIDES,
    })
    await expect(replay).rejects.toThrow(message)
    expect(await process.status(executionId)).toBe('suspended')
  })

  it('a step that suspends by itself does so after its breakpoint', async () => {
    const asks = andThen({
      id: 'ask',
      suspendTimeout: '1m',
      execute: ({ suspend, resumeData }) => resumeData ?? suspend('ok?'),
    })
    const process = await engines.start([createWorkflow({ id: 'w' }, asks)])
    const { executionId, suspension } = await process.execute('w', {}, { pauseAt: ['ask'] })
    expect(suspension).not.toHaveProperty('wakeAt')
    process.clock.advance(3_600_000)
    expect(await process.status(executionId)).toBe('suspended')
    expect((await continueRun(process, executionId)).suspension).toMatchObject({ reason: 'ok?' })
    expect((await process.resume(executionId, 'yes')).result).toBe('yes')
  })

  it('each round of a loop suspends, or only the one that is named', async () => {
    const items = andForEach({ id: 'lines', step: adding('line') })
    const process = await engines.start([createWorkflow({ id: 'w' }, giving('a', ['x', 'y']), items)])
    const one = await process.execute('w', {}, { pauseAt: ['lines[1]'] })
    expect(placeOf(one)).toEqual(['breakpoint', 'lines[1]', 'y'])
    expect(placeOf(await continueRun(process, one.executionId))).toEqual(['xline', 'yline'])
    const named = await process.execute('w', {}, { pauseAt: ['line[1]'] })
    expect(named.suspension?.stepId).toBe('lines[1]')
    const plain = process.startExecution('w', {}, { pauseAt: ['a[1]'] })
    await expect(plain).rejects.toThrow('options.pauseAt: the step "a" does not run in rounds: "a[1]"')
    const deep = process.startExecution('w', {}, { pauseAt: ['lines[1][2]'] })
    await expect(deep).rejects.toThrow('options.pauseAt: the step "lines" has one index: "lines[1][2]"')
    const each = await process.execute('w', {}, { pauseAt: ['line'] })
    expect(placeOf(each)).toEqual(['breakpoint', 'lines[0]', 'x'])
    expect(placeOf(await continueRun(process, each.executionId, { data: 'X' }))).toEqual([
      'breakpoint',
      'lines[1]',
      'y',
    ])
    expect(placeOf(await continueRun(process, each.executionId))).toEqual(['Xline', 'yline'])
  })

  it('branches wait at their breakpoints, and each can be the next one that goes on', async () => {
    const ran: string[] = []
    const all = andAll({ id: 'all', steps: [adding('left', ran), adding('right', ran), adding('free', ran)] })
    const process = await engines.start([createWorkflow({ id: 'w' }, all)])
    const { executionId, suspension } = await process.execute('w', {}, { pauseAt: ['left', 'right'] })
    expect(suspension?.stepId).toBe('left')
    expect(ran).toEqual(['free'])
    expect((await continueRun(process, executionId, { stepId: 'right' })).suspension?.stepId).toBe('left')
    expect(ran).toEqual(['free', 'right'])
    expect(placeOf(await continueRun(process, executionId))).toEqual(['left', 'right', 'free'])
  })

  it('a branch at a breakpoint loses a race that another one wins', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andRace({ id: 'race', steps: [adding('slow'), adding('fast')] }),
    ])
    expect(placeOf(await process.execute('w', {}, { pauseAt: ['slow'] }))).toBe('fast')
  })

  it('an execution at a breakpoint can be cancelled', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, adding('a'))])
    const { executionId } = await process.execute('w', {}, { pauseAt: ['a'] })
    await process.engine.executions.cancel({ executionId })
    expect(await process.detail(executionId)).toMatchObject({ status: 'cancelled', steps: [] })
    await expect(continueRun(process, executionId)).rejects.toMatchObject({ code: 'not_resumable' })
  })

  it('breakpoints and edited data survive a crash, also while another branch runs', async () => {
    const { step, running } = gated('works')
    const again = giving('works', 'worked')
    const workflow = (works: typeof step | typeof again) =>
      createWorkflow({ id: 'w' })
        .andAll({ id: 'all', steps: [adding('left'), works as typeof again] })
        .andThen({ id: 'last', execute: ({ data }) => data })
    const before = await engines.start([workflow(step)])
    const { executionId } = await before.startExecution('w', {}, { pauseAt: ['left', 'last'] })
    await running
    await before.crash()
    const after = await engines.next(before, [workflow(again)])
    await expect.poll(() => after.status(executionId)).toBe('suspended')
    expect((await after.detail(executionId)).suspension).toMatchObject({
      reason: 'breakpoint',
      stepId: 'left',
    })
    const last = await continueRun(after, executionId, { data: 'edited ' })
    expect(placeOf(last)).toEqual(['breakpoint', 'last', ['edited left', 'worked']])
    await after.crash()
    const third = await engines.next(after)
    expect(placeOf(await continueRun(third, executionId))).toEqual(['edited left', 'worked'])
  })

  it('a replay suspends at breakpoints of its own, first before its own step', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, adding('a'), adding('b'), adding('c'))])
    const { executionId } = await process.execute('w', {}, { pauseAt: ['b'] })
    const plain = await process.engine.executions.replay({ executionId }, 'b', { decider: CODE_DECIDES })
    expect(placeOf(await plain.result())).toBe('abc')
    const stepping = await process.engine.executions.replay({ executionId }, 'b', {
      pauseAt: ['*'],
      decider: CODE_DECIDES,
    })
    expect(placeOf(await stepping.result())).toEqual(['breakpoint', 'b', 'a'])
    expect(placeOf(await continueRun(process, stepping.executionId, { data: 'A' }))).toEqual([
      'breakpoint',
      'c',
      'Ab',
    ])
  })

  it('a child is one step of its parent, whose breakpoints stay its own', async () => {
    const child = createWorkflow({ id: 'child' }, adding('x'), adding('y'))
    const parent = createWorkflow({ id: 'w' }, adding('a'))
      .andWorkflow({ id: 'down', workflow: child, input: () => ({}) })
      .andThen({ id: 'z', execute: ({ data }) => data })
    const process = await engines.start([parent, child])
    const { executionId } = await process.execute('w', {}, { pauseAt: ['*'] })
    const places = [await continueRun(process, executionId), await continueRun(process, executionId)]
    expect(places.map((result) => placeOf(result))).toEqual([
      ['breakpoint', 'down', 'a'],
      ['breakpoint', 'z', 'xy'],
    ])
  })

  it('a recorded call has breakpoints by its id and its path, and gets what its function gives it', async () => {
    const ran: string[] = []
    const flow = createWorkflow({
      id: 'w',
      run: async ({ step }) => {
        await step.run('a', () => ran.push('a'))
        await step.run('b', ({ step: nested }) => nested.run('inner', () => ran.push('inner')))
        return step.run('c', () => [...ran])
      },
    })
    const process = await engines.start([flow])
    const { executionId } = await process.execute('w', {}, { pauseAt: ['*'] })
    const seen: (string | undefined)[] = []
    for (let call = 0; call < 3; call++)
      seen.push((await continueRun(process, executionId)).suspension?.stepId)
    expect([seen, ran]).toEqual([
      ['b', 'inner', 'c'],
      ['a', 'inner'],
    ])
    await expect(continueRun(process, executionId, { data: 1 })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('options.data: "c" is a recorded call'),
    })
    expect(placeOf(await continueRun(process, executionId))).toEqual(['a', 'inner'])
    expect((await process.execute('w', {}, { pauseAt: ['b/inner'] })).suspension?.stepId).toBe('inner')
    const replay = (options: Partial<ReplayOptions>) =>
      process.engine.executions.replay({ executionId }, 'b/inner', { decider: CODE_DECIDES, ...options })
    await expect(replay({ input: 1 })).rejects.toMatchObject({
      message: expect.stringContaining('input: "b/inner" is a recorded call'),
    })
    const paused = await replay({ pauseAt: ['inner'] })
    expect(placeOf(await paused.result())).toEqual(['breakpoint', 'inner', null])
    // the second execution has stopped behind its first call
    expect(placeOf(await continueRun(process, paused.executionId))).toEqual(['a', 'inner', 'a', 'inner'])
  })

  it('a call within a step has breakpoints by its path; ids that no step has are refused', async () => {
    const flow = createWorkflow({ id: 'w' }).andThen({
      id: 'book',
      execute: ({ step }) => step.run('line', () => 1),
    })
    const process = await engines.start([flow])
    const { executionId, suspension } = await process.execute('w', {}, { pauseAt: ['book/line'] })
    expect(suspension).toMatchObject({ reason: 'breakpoint', stepId: 'line' })
    expect(placeOf(await continueRun(process, executionId))).toBe(1)
    await expect(process.execute('w', {}, { pauseAt: ['line'] })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('its steps are book'),
    })
  })
}
