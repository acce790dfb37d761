import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { CODE_DECIDES } from '../../../src/contract/access/decision.ts'
import { createAgent } from '../../../src/agent/create-agent.ts'
import { createTool } from '../../../src/agent/tools/create-tool.ts'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import type { WorkflowDefinition } from '../../../src/workflow/definition.ts'
import { andAgent } from '../../../src/workflow/steps/and-agent.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { andWaitForEvent } from '../../../src/workflow/steps/and-wait-for-event.ts'
import { andWorkflow } from '../../../src/workflow/steps/and-workflow.ts'
import { createSchedule } from '../../../src/workflow/schedule/create-schedule.ts'
import { scriptedModel, type ScriptedAnswer } from '../../../src/testing/scripted-model.ts'
import { scripted } from '../../support/model/scripted.ts'
import { turns } from '../../support/turns.ts'
import { until } from '../../support/until.ts'
import { EngineProcess } from './engine-process.ts'
import type { ProcessOptions } from './engine-process.ts'
import { Machines } from './machines.ts'
import type { MachineBackend } from './machines.ts'
import { gated, giving, interrupted, never, sleep, suspending } from './sample-steps.ts'

/** Tests of engines that share a database. */
export function machineSuite(name: string, backend: MachineBackend): void {
  // oxlint-disable-next-line vitest/valid-title -- the caller names it
  describe(name, () => {
    let machines: Machines
    let databases = 0
    const processes: EngineProcess[] = []
    beforeEach(() => {
      machines = new Machines(backend)
      databases++
    })
    afterEach(async () => {
      for (const process of processes.splice(0)) await process.dispose()
    })
    const start = async (workflows: readonly WorkflowDefinition[], options: ProcessOptions = {}) => {
      const database = `m${databases}`
      const process = await EngineProcess.start({ backend: machines, database, workflows, options })
      processes.push(process)
      return process
    }
    const pair = async (workflows: readonly WorkflowDefinition[], options: ProcessOptions = {}) =>
      [await start(workflows, options), await start(workflows, options)] as const
    const types = async (process: EngineProcess, id: string) =>
      (await process.events(id)).map(({ type }) => type)
    const numbers = async (process: EngineProcess, id: string) =>
      (await process.detail(id)).events.map((event) => Number(event.id))
    const gapless = (seen: readonly number[]) => expect(seen).toEqual(seen.map((_, index) => index + 1))

    /** The numbers of the events that a reader on a machine receives. */
    const follow = async (process: EngineProcess, executionId: string) => {
      const row = await process.engine.executions.find({ executionId })
      const signal = new AbortController().signal
      const seen: number[] = []
      const ended = (async () => {
        for await (const { seq = 0 } of process.engine.queries.follow(row, {
          after: 0,
          signal,
          until: 'final',
        }))
          seen.push(seq)
      })()
      return { seen, ended }
    }

    /** Resolves when a machine has read a request to suspend an execution that it runs. */
    const noticed = async (process: EngineProcess, executionId: string) => {
      const get = vi.spyOn(process.store.executions, 'get')
      await until(async () => {
        const rows = await Promise.all(get.mock.results.map(({ value }) => value as ReturnType<typeof get>))
        return rows.some((row) => row?.id === executionId && row.suspendRequest !== null)
      }, 'the request to be noticed')
      await turns()
    }

    /** An agent whose tool needs approval, and its calls. */
    const payingClerk = () => {
      const calls: string[] = []
      const answer: ScriptedAnswer = ({ prompt }) =>
        prompt.at(-1)?.role === 'tool' ? 'Done.' : { toolCalls: [{ toolName: 'pay', input: {} }] }
      const pay = createTool({
        name: 'pay',
        description: 'Pays',
        inputSchema: z.object({}),
        needsApproval: true,
        execute: () => {
          calls.push('pay')
          return 'paid'
        },
      })
      const model = scriptedModel([answer], { repeatLast: true })
      const agent = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'x', model, tools: [pay] })
      return { agent, calls }
    }
    const { signal: open } = new AbortController()

    it('an andAgent step that waits is resumed on another machine, when the first one has died', async () => {
      const { agent, calls } = payingClerk()
      const workflow = createWorkflow({ id: 'w' }, andAgent({ id: 'ask', agent, prompt: 'Pay' }))
      const [a, b] = await pair([workflow])
      const { executionId, suspension } = await a.execute('w')
      const data: unknown = suspension?.data
      const { approvals } = data as { approvals: { approvalId: string }[] }
      await a.crash()
      const decisions = approvals.map(({ approvalId }) => ({ approvalId, approved: true }))
      const results = await Promise.allSettled([
        b.resume(executionId, { approvals: decisions }),
        b.resume(executionId, { approvals: decisions }),
      ])
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect((await b.detail(executionId)).output).toEqual({ text: 'Done.' })
      expect(calls).toEqual(['pay'])
    })

    it('an answer that waits for approval is approved once, on whatever machine', async () => {
      const { agent, calls } = payingClerk()
      const [a, b] = await pair([], { agents: [agent] })
      const { id: runId, approvals = [] } = await a.engine.agents.text('clerk', {
        input: 'Pay',
        signal: open,
      })
      const responses = {
        approvals: approvals.map(({ approvalId }) => ({ approvalId, approved: true })),
        toolOutputs: [],
      }
      const respond = ({ engine }: EngineProcess) =>
        engine.agents.continue('clerk', {
          kind: 'respond',
          runId,
          decider: CODE_DECIDES,
          responses,
          signal: open,
        })
      const results = await Promise.allSettled([respond(b), respond(a)])
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(calls).toEqual(['pay'])
    })

    it('approvals that have expired are refused on every machine', async () => {
      const { agent, calls } = payingClerk()
      const [a, b] = await pair([], { agents: [agent] })
      const { id: runId, approvals = [] } = await a.engine.agents.text('clerk', {
        input: 'Pay',
        signal: open,
      })
      for (const { clock } of [a, b]) clock.advance(7 * 24 * 3_600_000)
      const responses = {
        approvals: approvals.map(({ approvalId }) => ({ approvalId, approved: true })),
        toolOutputs: [],
      }
      const late = b.engine.agents.continue('clerk', {
        kind: 'respond',
        runId,
        decider: CODE_DECIDES,
        responses,
        signal: open,
      })
      await expect(late).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('expired') as string,
      })
      expect(calls).toEqual([])
    })

    it('an instant of a schedule that two machines handle at the same time starts one execution', async () => {
      const workflow = createWorkflow({ id: 'w' }, giving('a', 'a'))
      const schedules = [createSchedule({ id: 's', every: '1h', workflow })]
      const [a, b] = await pair([workflow], { schedules })
      const at = (await a.store.schedules.get('s'))?.nextAt ?? 0
      for (const { clock } of [a, b]) clock.advance(at - clock.now())
      const results = [a, b].map(async ({ store }) =>
        store.server?.run({ kind: 'tick', schedule: 's', at }, 1),
      )
      expect(await Promise.all(results)).toEqual(['done', 'done'])
      const found = await b.store.executions.list({}, { limit: 10, offset: 0 })
      expect(found.map(({ id }) => id)).toEqual([`schedule:s:${new Date(at).toISOString()}`])
      expect(await b.store.schedules.get('s')).toMatchObject({ revision: 2, nextAt: at + 3_600_000 })
    })

    it('an instant is left to the machine whose configuration has it', async () => {
      const workflow = createWorkflow({ id: 'w' }, giving('a', 'a'))
      const of = (every: '1h' | '2h') => ({ schedules: [createSchedule({ id: 's', every, workflow })] })
      const old = await start([workflow], of('1h'))
      const next = await start([workflow], of('2h'))
      const at = (await old.store.schedules.get('s'))?.nextAt ?? 0
      const job = { kind: 'tick', schedule: 's', at } as const
      expect(await old.store.server?.run(job, 1)).toBe('later')
      expect(await next.store.server?.run(job, 2)).toBe('done')
      expect(await next.store.executions.count({})).toBe(1)
    })

    it('an execution is found, listed and followed on a machine where it does not run', async () => {
      const { step, running, open } = gated('a')
      const [one, two] = await pair([createWorkflow({ id: 'w' }, step, giving('b', 2))])
      const { executionId, result } = await one.startExecution('w')
      await running
      expect(await two.status(executionId)).toBe('running')
      expect(await two.engine.queries.count({ workflowId: 'w', status: 'running' })).toBe(1)
      const reader = await follow(two, executionId)
      const listed = createDeferred<void>()
      two.engine.feed.onUpdates(() => listed.resolve())
      open()
      await result()
      await Promise.all([reader.ended, listed.promise])
      gapless(reader.seen)
      expect(reader.seen).toEqual(await numbers(two, executionId))
      expect((await two.detail(executionId)).output).toBe(2)
    })

    it.runIf(backend.many)('lists say on every machine what runs on any of them', async () => {
      const gate = gated('a')
      const [one, two] = await pair([
        createWorkflow({ id: 'w' }, gate.step),
        createWorkflow({ id: 'idle' }, giving('n', 1)),
      ])
      const { result } = await one.startExecution('w')
      await gate.running
      for (const { engine } of [one, two]) expect([...(await engine.runningWork()).workflows]).toEqual(['w'])
      gate.open()
      await result()
      for (const { engine } of [one, two]) expect((await engine.runningWork()).workflows.size).toBe(0)
    })

    it('a request on another machine suspends an execution at its next step', async () => {
      const { step, running, open } = gated('a')
      const [one, two] = await pair([createWorkflow({ id: 'w' }, step, giving('b', 2))])
      const { executionId, result } = await one.startExecution('w')
      await running
      const notice = noticed(one, executionId)
      const suspending = two.engine.executions.suspend({ executionId }, 'lunch', { id: 'bob' })
      await notice
      open()
      const suspended = await suspending
      expect(suspended).toEqual({
        executionId,
        status: 'suspended',
        suspension: { suspendedAt: expect.any(String), reason: 'lunch' },
      })
      expect((await result()).status).toBe('suspended')
      expect(await two.detail(executionId)).toMatchObject({ status: 'suspended', suspendedBy: 'bob' })
      expect(two.logs.some(({ suspendedBy }) => suspendedBy === 'bob')).toBe(true)
      expect((await two.resume(executionId)).result).toBe(2)
      gapless(await numbers(one, executionId))
    })

    it('a request to suspend reaches the owner also from a machine that has lost the execution without knowing', async () => {
      const { step, running, open } = gated('a')
      const [one, two] = await pair([createWorkflow({ id: 'w' }, step, giving('b', 'done'))])
      const { executionId } = await one.startExecution('w')
      await running
      machines.deafen(one, { looks: false })
      await machines.continue(executionId, one.store.ownerEpoch)
      const notice = noticed(two, executionId)
      const suspending = one.engine.executions.suspend({ executionId }, 'lunch')
      await notice
      machines.deafen(one, { looks: true })
      open()
      expect((await suspending).status).toBe('suspended')
      expect((await two.resume(executionId)).result).toBe('done')
    })

    it('a request to suspend on another machine is pending until the execution reaches a step boundary', async () => {
      const { step, running, open } = gated('a')
      const [one, two] = await pair([createWorkflow({ id: 'w' }, step, giving('b', 2))], { suspendWaitMs: 1 })
      const { executionId, result } = await one.startExecution('w')
      await running
      const notice = noticed(one, executionId)
      expect(await two.engine.executions.suspend({ executionId }, 'lunch')).toEqual({
        executionId,
        status: 'running',
        suspension: { requestedAt: expect.any(String), reason: 'lunch' },
      })
      await notice
      open()
      expect(await result()).toMatchObject({ status: 'suspended', suspension: { reason: 'lunch' } })
    })

    it('a request to suspend fails when the execution ends on the other machine before a boundary', async () => {
      const { step, running, open } = gated('a')
      const [one, two] = await pair([createWorkflow({ id: 'w' }, step)])
      const { executionId, result } = await one.startExecution('w')
      await running
      const suspending = two.engine.executions.suspend({ executionId })
      suspending.catch(() => undefined)
      await turns()
      open()
      await result()
      await expect(suspending).rejects.toMatchObject({
        code: 'not_suspendable',
        message: `Execution can't be suspended: ${executionId} is completed`,
      })
    })

    it('an execution that is cancelled on another machine is compensated there, and its steps are aborted', async () => {
      const aborted: string[] = []
      const log: string[] = []
      const flow = createWorkflow({
        id: 'w',
        run: async ({ step }) => {
          await step.run('charge', () => 'c1', { compensate: (charge) => void log.push(`refund ${charge}`) })
          await step.run('stuck', ({ signal }) => {
            signal.addEventListener('abort', () => aborted.push('stuck'))
            return new Promise<null>(() => undefined)
          })
        },
      })
      const [one, two] = await pair([flow])
      const { executionId, result } = await one.startExecution('w')
      await two.reached(executionId, 'stuck')
      expect(await two.cancel(executionId)).toMatchObject({ status: 'cancelled', compensation: 'completed' })
      expect(await result()).toMatchObject({ status: 'cancelled', compensation: 'completed' })
      expect(log).toEqual(['refund c1'])
      await until(() => aborted.length === 1, 'the step to be aborted')
      expect(await one.steps(executionId)).toEqual([
        'charge completed 1',
        'stuck cancelled 1',
        'charge:compensate completed 1',
      ])
      gapless(await numbers(two, executionId))
    })

    it('an execution is cancelled on another machine with its children, and its steps are aborted', async () => {
      const aborted: string[] = []
      const child = createWorkflow({ id: 'child' }, never('c', aborted))
      const mother = createWorkflow({ id: 'mother' }).andAll({
        id: 'g',
        steps: [never('a', aborted), andWorkflow({ id: 'down', workflow: child })],
      })
      const [one, two] = await pair([child, mother])
      const { executionId, result } = await one.startExecution('mother')
      const childId = await two.child(executionId)
      await two.reached(childId, 'c')
      await two.reached(executionId, 'g/a')
      const cancelled = await two.cancel(executionId, 'enough', { user: { id: 'bob' } })
      expect(cancelled).toMatchObject({ executionId, status: 'cancelled', reason: 'enough' })
      await until(() => aborted.length === 2, 'the steps to be aborted')
      expect(await result()).toMatchObject({ status: 'cancelled', endAt: cancelled.cancelledAt })
      for (const id of [executionId, childId]) {
        expect(await one.detail(id)).toMatchObject({ status: 'cancelled', cancelledBy: 'bob' })
        expect((await types(two, id)).filter((type) => type === 'workflow-cancelled')).toHaveLength(1)
        expect((await two.steps(id)).every((step) => step.includes(' cancelled '))).toBe(true)
        gapless(await numbers(two, id))
      }
      expect(one.holds).toBe(0)
      await expect(one.engine.executions.cancel({ executionId })).rejects.toMatchObject({
        code: 'not_cancellable',
      })
    })

    it('an execution whose owner commits all the time is cancelled by the first request', async () => {
      const chatty = andThen({
        id: 'a',
        execute: async ({ emit, signal }) => {
          while (!signal.aborted) {
            emit('tick')
            await sleep(1)
          }
        },
      })
      const [one, two] = await pair([createWorkflow({ id: 'w' }, chatty)])
      for (let round = 0; round < 5; round++) {
        const { executionId, result } = await one.startExecution('w')
        await until(async () => (await two.store.executions.lastSequence(executionId)) > 20, 'some events')
        expect((await two.engine.executions.cancel({ executionId })).status).toBe('cancelled')
        expect((await result()).status).toBe('cancelled')
        const seen = await two.events(executionId)
        expect(seen.slice(-2).map(({ type }) => type)).toEqual(['workflow-cancelled', 'workflow-result'])
        expect(seen.filter(({ type }) => type === 'workflow-cancelled')).toHaveLength(1)
        gapless(await numbers(two, executionId))
      }
    })

    it('requests to cancel on two machines cancel an execution once', async () => {
      const [one, two] = await pair([createWorkflow({ id: 'w' }, never('a'))])
      const { executionId } = await one.startExecution('w')
      await one.reached(executionId, 'a')
      const requests = Array.from({ length: 10 }, (_, n) =>
        (n % 2 === 0 ? one : two).engine.executions.cancel({ executionId }),
      )
      const replies = await Promise.allSettled(requests)
      expect(replies.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const reply of replies)
        if (reply.status === 'rejected') expect(reply.reason).toMatchObject({ code: 'not_cancellable' })
      expect((await types(one, executionId)).filter((type) => type === 'workflow-cancelled')).toHaveLength(1)
    })

    it('one of fifty concurrent resumes on two machines wins', async () => {
      const asks = createWorkflow({ id: 'asks' }, suspending('q'))
      const parent = createWorkflow({ id: 'parent' }).andWorkflow({ id: 'down', workflow: asks })
      const [one, two] = await pair([asks, parent])
      const { executionId } = await one.execute('parent')
      const childId = await one.child(executionId)
      const attempts = await Promise.allSettled(
        Array.from({ length: 50 }, (_, n) =>
          (n % 2 === 0 ? one : two).resume(n % 4 < 2 ? executionId : childId, n),
        ),
      )
      const won = attempts.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
      expect(won).toHaveLength(1)
      for (const attempt of attempts)
        if (attempt.status === 'rejected')
          expect(['not_resumable', 'conflict']).toContain((attempt.reason as { code: string }).code)
      await expect.poll(() => two.status(executionId)).toBe('completed')
      for (const id of [executionId, childId])
        expect((await types(two, id)).filter((type) => type === 'workflow-resumed')).toHaveLength(1)
      expect((await two.detail(executionId)).output).toBe(won[0]?.result)
    })

    it('a caller receives the result of an execution that another machine has taken over', async () => {
      const attempts: number[] = []
      const aborted: string[] = []
      const step = andThen({
        id: 'a',
        execute: ({ attempt, signal }): Promise<unknown> => {
          attempts.push(attempt)
          signal.addEventListener('abort', () => aborted.push('a'))
          return attempt === 1 ? new Promise(() => undefined) : Promise.resolve('second')
        },
      })
      const [one, two] = await pair([createWorkflow({ id: 'w' }, giving('first', 1), step)])
      const { executionId, result } = await one.startExecution('w')
      const answer = result()
      const readers = await Promise.all([one, two].map((process) => follow(process, executionId)))
      await one.reached(executionId, 'a')
      await machines.takeOver(one)
      expect(await answer).toMatchObject({ status: 'completed', result: 'second' })
      expect([attempts, aborted]).toEqual([[1, 2], ['a']])
      expect((await one.engine.executions.find({ executionId })).ownerEpoch).toBe(two.store.ownerEpoch)
      for (const reader of readers) {
        await reader.ended
        expect(reader.seen).toEqual(await numbers(two, executionId))
        gapless(reader.seen)
      }
      expect(one.holds + two.holds).toBe(0)
    })

    it('many callers wait for executions of another machine without a warning of Node.js', async () => {
      const warnings: Error[] = []
      const warned = (warning: Error) => void warnings.push(warning)
      process.on('warning', warned)
      const [one, two] = await pair([createWorkflow({ id: 'w' }, never('a'))])
      const started = await Promise.all(Array.from({ length: 15 }, () => one.startExecution('w')))
      const answers = Promise.all(started.map(({ result }) => result()))
      await machines.takeOver(one)
      await until(() => (one.engine.running.get('w') ?? 0) === 0, 'the runs to be abandoned')
      await turns()
      for (const { executionId } of started) await two.engine.executions.cancel({ executionId })
      expect((await answers).every(({ status }) => status === 'cancelled')).toBe(true)
      process.off('warning', warned)
      expect(warnings).toEqual([])
    })

    it('an execution that fails on another machine is a failure for those who wait for it', async () => {
      const step = andThen({
        id: 'a',
        execute: ({ attempt }): Promise<string> =>
          attempt === 1 ? new Promise(() => undefined) : Promise.reject(new Error('no')),
      })
      const [one] = await pair([createWorkflow({ id: 'w' }, step)])
      const { executionId, result } = await one.startExecution('w')
      const answer = result().catch((error: unknown) => error)
      await one.reached(executionId, 'a')
      await machines.takeOver(one)
      expect(await answer).toMatchObject({ code: 'execution_failed', cause: { message: 'no' } })
    })

    it('readers on another machine follow an execution over the death of its owner', async () => {
      const { step, running, open } = gated('b')
      const [one, two] = await pair([
        createWorkflow({ id: 'w' }, giving('first', 1), interrupted('a'), step, giving('last', 2)),
      ])
      const { executionId } = await one.startExecution('w')
      await one.reached(executionId, 'a')
      const reader = await follow(two, executionId)
      await until(() => reader.seen.length > 3, 'the first events')
      await machines.kill(one)
      await running
      open()
      await reader.ended
      gapless(reader.seen)
      expect(reader.seen).toEqual(await numbers(two, executionId))
      expect(await two.steps(executionId)).toEqual([
        'first completed 1',
        'a completed 2',
        'b completed 1',
        'last completed 1',
      ])
      expect(two.logs.filter(({ msg }) => msg.startsWith('Recovering what'))).toHaveLength(1)
    })

    it('a machine that hears nothing notices at its next look that an execution has another owner', async () => {
      const aborted: string[] = []
      const [one, two] = await pair([createWorkflow({ id: 'w' }, never('a', aborted))])
      machines.deafen(one, { looks: true })
      const { executionId, result } = await one.startExecution('w')
      await one.reached(executionId, 'a')
      await two.engine.executions.cancel({ executionId })
      expect((await result()).status).toBe('cancelled')
      expect(aborted).toEqual(['a'])
    })

    it('a parent that another machine has taken over waits for its child, which keeps its owner', async () => {
      const { step, running, open } = gated('c')
      const child = createWorkflow({ id: 'child' }, step)
      const mother = createWorkflow({ id: 'mother' })
        .andWorkflow({ id: 'down', workflow: child })
        .andThen({ id: 'after', execute: ({ data }) => ({ child: data }) })
      const [one, two] = await pair([child, mother])
      const { executionId, result } = await one.startExecution('mother')
      const answer = result()
      const childId = await one.child(executionId)
      await running
      const { ownerEpoch: from } = one.store
      await machines.continue(executionId, from)
      await until(
        async () => (await two.engine.executions.find({ executionId })).ownerEpoch !== from,
        'the parent to be taken over',
      )
      await turns()
      open()
      expect(await answer).toMatchObject({ status: 'completed', result: { child: 1 } })
      expect((await two.engine.executions.find({ executionId: childId })).ownerEpoch).toBe(from)
      expect(await two.engine.queries.count({ workflowId: 'child' })).toBe(1)
      expect(await two.steps(childId)).toEqual(['c completed 1'])
    })

    it('a child is resumed on another machine while its parent runs other steps', async () => {
      const gate = gated('gate')
      const asks = createWorkflow({ id: 'asks' }, suspending('q'))
      const both = createWorkflow({ id: 'both' }).andAll({
        id: 'all',
        steps: [andWorkflow({ id: 'down', workflow: asks }), gate.step],
      })
      const [one, two] = await pair([asks, both])
      const { executionId } = await one.startExecution('both')
      const childId = await two.child(executionId)
      await expect.poll(() => two.status(childId)).toBe('suspended')
      await gate.running
      expect((await two.resume(childId, 'yes')).result).toBe('yes')
      gate.open()
      await expect.poll(() => two.status(executionId)).toBe('completed')
      expect((await two.detail(executionId)).output).toEqual(['yes', 1])
      const resumed = (await two.events(executionId)).filter(({ type }) => type === 'workflow-resumed')
      expect(resumed.map((event) => event['resumeData'])).toEqual(['yes'])
    })

    it('a parent and its child, on different machines, suspend and resume together', async () => {
      const gate = gated('c')
      const child = createWorkflow({ id: 'child' }, gate.step, giving('d', 'done'))
      const mother = createWorkflow({ id: 'mother' }).andWorkflow({ id: 'down', workflow: child })
      const [one, two] = await pair([child, mother])
      const { executionId } = await one.startExecution('mother')
      const childId = await one.child(executionId)
      await gate.running
      await machines.continue(executionId, one.store.ownerEpoch)
      const notice = noticed(one, childId)
      const suspending = one.engine.executions.suspend({ executionId }, 'lunch')
      await notice
      gate.open()
      expect((await suspending).status).toBe('suspended')
      for (const id of [executionId, childId]) expect(await two.status(id)).toBe('suspended')
      expect((await two.resume(executionId)).result).toBe('done')
      for (const id of [executionId, childId]) {
        expect(await one.status(id)).toBe('completed')
        expect((await types(one, id)).filter((type) => type === 'workflow-suspended')).toHaveLength(1)
        gapless(await numbers(one, id))
      }
    })

    it('an event that is sent on another machine is taken by a branch that runs, and by one that is suspended', async () => {
      const { step, running, open } = gated('a')
      const waits = createWorkflow({ id: 'w' }).andAll({
        id: 'all',
        steps: [andWaitForEvent({ id: 'paid', event: 'payment' }), step],
      })
      const alone = createWorkflow({ id: 'x' }).andWaitForEvent({ id: 'paid', event: 'payment' })
      const [one, two] = await pair([waits, alone])
      const { executionId } = await one.startExecution('w')
      const suspended = await one.execute('x')
      await running
      const waiting = () => two.store.events.waiting({ name: 'payment', key: null })
      await until(async () => (await waiting()).length === 2, 'both to wait')
      const { resumed } = await two.engine.executions.sendEvent({ name: 'payment', data: 1 })
      expect(resumed).toEqual([executionId, suspended.executionId].toSorted())
      await one.recorded(executionId, 'all/paid', 'completed')
      open()
      await until(async () => (await two.status(executionId)) === 'completed', 'the execution to complete')
      await until(
        async () => (await one.status(suspended.executionId)) === 'completed',
        'the other to complete',
      )
    })

    it('an event that is sent on both machines at the same time starts one execution', async () => {
      const runs: string[] = []
      const step = andThen({ id: 'a', execute: ({ executionId }) => runs.push(executionId) })
      const flow = createWorkflow({ id: 'w', on: [{ event: 'order' }] }, step)
      const both = await pair([flow])
      const sent = await Promise.all(
        [...both, ...both].map(({ engine }) =>
          engine.executions.sendEvent({ name: 'order', data: {}, id: 'e1' }),
        ),
      )
      expect(sent.flatMap(({ started }) => started)).toEqual(['code:w:e1'])
      await until(
        async () => (await both[1].status('code:w:e1')) === 'completed',
        'the execution to complete',
      )
      expect(runs).toEqual(['code:w:e1'])
      expect(both.flatMap(({ logs }) => logs.filter(({ level }) => level >= 40))).toEqual([])
    })

    it('cancelling a parent cancels its children on other machines', async () => {
      const aborted: string[] = []
      const child = createWorkflow({ id: 'child' }, never('c', aborted))
      const mother = createWorkflow({ id: 'mother' }).andWorkflow({ id: 'down', workflow: child })
      const [one, two] = await pair([child, mother])
      const { executionId } = await one.startExecution('mother')
      const childId = await one.child(executionId)
      await one.reached(childId, 'c')
      await machines.continue(executionId, one.store.ownerEpoch)
      await two.engine.executions.cancel({ executionId })
      for (const id of [executionId, childId]) expect(await two.status(id)).toBe('cancelled')
      await until(() => aborted.length === 1, 'the step to be aborted')
    })

    it('an execution that another machine has cancelled starts no child', async () => {
      let starts = 0
      let release: () => void = () => undefined
      const child = createWorkflow({ id: 'child' }, andThen({ id: 'c', execute: () => ++starts }))
      const gate = gated('a')
      const mother = createWorkflow({ id: 'mother' }, gate.step).andWorkflow({
        id: 'down',
        workflow: child,
        input: () => {
          release = one.store.hold()
          return {}
        },
      })
      const [one, two] = await pair([child, mother])
      machines.deafen(one, { looks: false })
      const { executionId, result } = await one.startExecution('mother')
      await gate.running
      gate.open()
      await until(() => one.store.held > 0, 'the write that starts the child')
      await two.engine.executions.cancel({ executionId })
      release()
      expect((await result()).status).toBe('cancelled')
      await turns()
      expect([starts, await two.engine.queries.count({ workflowId: 'child' })]).toEqual([0, 0])
      expect(one.holds).toBe(0)
    })

    it('a step that ends its process on machine after machine fails, and others beside it complete', async () => {
      const hosts: EngineProcess[] = []
      const poison = createWorkflow({ id: 'poison' }, never('die'))
      const bystander = createWorkflow({ id: 'bystander' }, giving('first', 1), gated('b').step)
      const workflows = [poison, bystander]
      for (let n = 0; n < 8; n++) hosts.push(await start(workflows))
      const [first] = hosts as [EngineProcess]
      const { executionId } = await first.startExecution('poison')
      const other = await first.startExecution('bystander')
      await first.reached(executionId, 'die')
      await first.reached(other.executionId, 'b')
      // one crash beside the other, three with nothing else running, and a margin for when they share a machine again
      for (let crash = 1; crash <= 6; crash++) {
        let host: EngineProcess | undefined
        await until(async () => {
          const { ownerEpoch, status } = await liveRow(hosts, executionId)
          host = hosts.find(({ store }) => store.ownerEpoch === ownerEpoch) as EngineProcess
          if (status === 'error') return true
          return !host.store.dead && (await host.step(executionId, 'die'))?.attempts === crash
        }, `attempt ${crash} of the step`)
        if (!host || (await host.status(executionId)) === 'error') break
        await machines.kill(host)
      }
      const last = hosts.find(({ store }) => !store.dead) as EngineProcess
      await expect.poll(() => last.status(executionId)).toBe('error')
      expect((await last.detail(executionId)).error).toMatchObject({ name: 'CrashLoopError', stepId: 'die' })
      expect(await last.steps(executionId)).toEqual([expect.stringMatching(/^die error \d$/)])
      expect(await last.status(other.executionId)).toBe('running')
    })

    it('an execution is continued by a machine that has its workflow', async () => {
      const workflow = createWorkflow({ id: 'w' }, interrupted('a'))
      const one = await start([workflow])
      const without = await start([])
      const other = await start([workflow])
      const { executionId } = await one.startExecution('w')
      await one.reached(executionId, 'a')
      await machines.kill(one)
      await expect.poll(() => other.status(executionId)).toBe('completed')
      expect(without.logs.filter(({ msg }) => msg.includes("can't be recovered")).length).toBeLessThanOrEqual(
        1,
      )
    })

    it('an execution of a changed workflow is first offered to machines of its release', async () => {
      const before = createWorkflow({ id: 'w' }, interrupted('a'))
      const changed = createWorkflow({ id: 'w' }, interrupted('a'), giving('new', 1))
      const one = await start([before], { release: () => '1' })
      const next = await start([changed], { release: () => '2' })
      const same = await start([before], { release: () => '1' })
      const ids: string[] = []
      for (let n = 0; n < 4; n++) ids.push((await one.startExecution('w')).executionId)
      for (const id of ids) await one.reached(id, 'a')
      await machines.kill(one)
      for (const executionId of ids) {
        await expect.poll(() => same.status(executionId)).toBe('completed')
        const { ownerEpoch } = await same.engine.executions.find({ executionId })
        expect(ownerEpoch).toBe(same.store.ownerEpoch)
      }
      expect(next.logs.some(({ msg }) => msg.startsWith('Recovering what'))).toBe(false)
    })

    it('new work is refused while the database is away, and what runs waits for it', async () => {
      const gate = gated('c')
      const child = createWorkflow({ id: 'child' }, gate.step, giving('d', 'done'))
      const mother = createWorkflow({ id: 'mother' }).andWorkflow({ id: 'down', workflow: child })
      const asks = createWorkflow({ id: 'asks' }, suspending('q'))
      const agent = createAgent({
        id: 'helper',
        name: 'Helper',
        instructions: 'Help.',
        model: scripted('ok'),
      })
      const one = await start([child, mother, asks], { agents: [agent] })
      const two = await start([child, mother, asks], { agents: [agent] })
      const suspended = await two.execute('asks')
      const { executionId } = await one.startExecution('mother')
      const childId = await one.child(executionId)
      await gate.running
      // the parent waits on the second machine for its child on the first
      await machines.continue(executionId, one.store.ownerEpoch)
      const reader = await follow(two, executionId)
      const returns = [one, two].map(({ store }) => store.leave())
      const refusal = { code: 'unavailable', status: 503 }
      const { executions, agents } = two.engine
      const call = { input: 'x', signal: new AbortController().signal }
      await expect(executions.execute('asks', {})).rejects.toMatchObject(refusal)
      await expect(executions.resume(suspended, 1, { decider: CODE_DECIDES })).rejects.toMatchObject(refusal)
      await expect(executions.replay(suspended, 'q', { decider: CODE_DECIDES })).rejects.toMatchObject(
        refusal,
      )
      await expect(agents.text('helper', call)).rejects.toMatchObject(refusal)
      gate.open()
      await turns()
      for (const back of returns) back()
      await reader.ended
      expect((await two.detail(executionId)).output).toBe('done')
      expect(reader.seen).toEqual(await numbers(two, executionId))
      for (const id of [executionId, childId]) gapless(await numbers(one, id))
      expect(two.logs.filter(({ level }) => level >= 50)).toEqual([])
    })

    it('an answer is cancelled, and its end awaited, on another machine', async () => {
      const asked = createDeferred<void>()
      const left = createDeferred<void>()
      const model = scripted('')
      model.doGenerate = ({ abortSignal }) =>
        new Promise((_resolve, reject) => {
          abortSignal?.addEventListener('abort', () => {
            left.resolve()
            reject(abortSignal.reason as Error)
          })
          asked.resolve()
        })
      const agent = createAgent({ id: 'helper', name: 'Helper', instructions: 'Help.', model })
      const asking = createWorkflow(
        { id: 'asking' },
        andAgent({ id: 'answer', agent, prompt: () => 'nested' }),
      )
      const one = await start([asking], { agents: [agent] })
      const two = await start([asking], { agents: [agent] })
      const signal = new AbortController().signal
      const answer = one.engine.agents.text('helper', { input: 'x', signal }).catch((error: unknown) => error)
      await asked.promise
      const page = { limit: 10, offset: 0 }
      const [{ id } = { id: '' }] = await two.engine.history.list({ status: 'running' }, page)
      const ended = two.engine.history.awaitEnd(id, signal)
      expect(await two.engine.agents.cancel(id)).toBe(true)
      await left.promise
      expect(await answer).toMatchObject({ code: 'unavailable' })
      expect(await ended).toMatchObject({ id, status: 'aborted' })
      expect(await two.engine.agents.cancel(id)).toBe(false)
      // the answer of a step ends with its step
      const { executionId } = await one.startExecution('asking')
      await until(
        async () => (await two.engine.history.count({ status: 'running' })) === 1,
        'the nested answer',
      )
      const [nested = { id: '' }] = await two.engine.history.list({ status: 'running' }, page)
      expect(await two.engine.agents.cancel(nested.id)).toBe(false)
      const nestedEnd = two.engine.history.awaitEnd(nested.id, signal)
      await two.engine.executions.cancel({ executionId })
      expect(await nestedEnd).toMatchObject({ status: 'aborted' })
    })

    it('the agent runs of a machine that has died are ended', async () => {
      const asked = createDeferred<void>()
      const model = scripted('')
      model.doGenerate = () => {
        asked.resolve()
        return new Promise(() => undefined)
      }
      const agent = createAgent({ id: 'helper', name: 'Helper', instructions: 'Help.', model })
      const one = await start([], { agents: [agent] })
      const two = await start([], { agents: [agent] })
      const call = { input: 'x', signal: new AbortController().signal }
      void one.engine.agents.text('helper', call).catch(() => undefined)
      await asked.promise
      const ended = vi.spyOn(two.store.agentRuns, 'endOrphaned')
      const traces = vi.spyOn(two.store.traces, 'endOrphaned')
      await machines.kill(one)
      await until(() => traces.mock.calls.length === 1, 'the traces to be ended')
      expect(ended).toHaveBeenCalledOnce()
    })

    async function liveRow(hosts: readonly EngineProcess[], executionId: string) {
      const alive = hosts.find(({ store }) => !store.dead) as EngineProcess
      return alive.engine.executions.find({ executionId })
    }
  })
}
