import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../../src/agent/create-agent.ts'
import { createTool } from '../../../src/agent/tools/create-tool.ts'
import { scriptedModel } from '../../../src/testing/scripted-model.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import type { StepContext } from '../../../src/workflow/step-context.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { StepError } from '../../../src/step/step-errors.ts'
import { CODE_DECIDES } from '../../../src/contract/access/decision.ts'
import type { Engines } from './engine-suite.ts'

/** Workflows that are functions, and recorded calls in steps. */
export function functionTests(engines: Engines): void {
  it('a function returns what its calls return, and each is recorded with its result', async () => {
    const add = createWorkflow({
      id: 'add',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      resultSchema: z.object({ sum: z.number() }),
      run: async ({ input, step }) => {
        const sum = await step.run('sum', () => input.a + input.b)
        const twice = await step.run('twice', () => sum * 2, { name: 'Twice' })
        return { sum: twice }
      },
    })
    const process = await engines.start([add])
    const result = await process.execute('add', { a: 1, b: 2 })
    expect(result).toMatchObject({ status: 'completed', result: { sum: 6 } })
    expect(await process.steps(result.executionId)).toEqual(['sum completed 1', 'twice completed 1'])
    expect(await process.step(result.executionId, 'twice')).toMatchObject({ name: 'Twice', output: 6 })
    expect(await process.story(result.executionId)).toEqual([
      'workflow-start',
      'step-start sum',
      'step-complete sum',
      'step-start twice',
      'step-complete twice',
      'workflow-complete',
      'workflow-result',
    ])
  })

  it('calls of the same moment are listed in the order in which they were made', async () => {
    const ids = ['z', 'b', 'y', 'a', 'x10', 'x9']
    const flow = createWorkflow({
      id: 'w',
      run: async ({ step }) => {
        await Promise.all(ids.map((id) => step.run(id, ({ step: within }) => within.run('inner', () => id))))
        await step.run('first', () => 1)
      },
    })
    const process = await engines.start([flow])
    const { executionId } = await process.execute('w', {})
    const made = [...ids, ...ids.map((id) => `${id}/inner`), 'first']
    expect(await process.steps(executionId)).toEqual(made.map((id) => `${id} completed 1`))
  })

  it('after a crash the function runs again from its top, and no call that has ended does', async () => {
    const runs: string[] = []
    const gate = createDeferred<void>()
    const flow = createWorkflow({
      id: 'w',
      run: async ({ step }) => {
        runs.push('top')
        const lines = await step.run('lines', () => {
          runs.push('lines')
          return ['a', 'b']
        })
        await Promise.all(
          lines.map((line) =>
            step.run(`book-${line}`, async ({ attempt, idempotencyKey }) => {
              runs.push(`${line}${attempt} ${idempotencyKey.split(':').at(-1)}`)
              if (line === 'b' && attempt === 1) await new Promise(() => undefined)
            }),
          ),
        )
        await step.run('last', () => void runs.push('last'))
        return lines.length
      },
    })
    const before = await engines.start([flow])
    const { executionId } = await before.startExecution('w')
    await before.recorded(executionId, 'book-a', 'completed')
    await before.crash()
    gate.resolve()
    const after = await engines.next(before)
    await expect.poll(() => after.status(executionId)).toBe('completed')
    expect(runs).toEqual(['top', 'lines', 'a1 book-a', 'b1 book-b', 'top', 'b2 book-b', 'last'])
    expect((await after.detail(executionId)).output).toBe(2)
  })

  it('a suspended call takes the data of a resume, which its schema parses, and code after it runs once', async () => {
    const runs: string[] = []
    const flow = createWorkflow({
      id: 'w',
      run: async ({ step }) => {
        const { amount } = await step.suspend('approve', {
          reason: 'Too much',
          data: { total: 200 },
          resumeSchema: z.object({ amount: z.number().transform((n) => n + 1) }),
        })
        await step.run('pay', () => void runs.push(`pay ${amount}`))
        return amount
      },
    })
    const before = await engines.start([flow])
    const { executionId } = await before.execute('w')
    const suspended = await before.detail(executionId)
    expect(suspended).toMatchObject({
      status: 'suspended',
      suspension: { stepId: 'approve', reason: 'Too much', data: { total: 200 } },
    })
    await expect(before.resume(executionId, { amount: {} })).rejects.toThrow('Resume data validation failed')
    await before.crash()
    const after = await engines.next(before)
    expect(await after.resume(executionId, { amount: 4 })).toMatchObject({ status: 'completed', result: 5 })
    expect(runs).toEqual(['pay 5'])
  })

  it('several calls wait at once, and each of them can be resumed', async () => {
    const flow = createWorkflow({
      id: 'w',
      run: async ({ step }) =>
        Promise.all([
          step.suspend('legal', { resumeSchema: z.string() }),
          step.suspend('finance', { resumeSchema: z.string() }),
          step.run('note', () => 'noted'),
        ]),
    })
    const process = await engines.start([flow])
    const { executionId, status } = await process.execute('w')
    expect(status).toBe('suspended')
    expect((await process.detail(executionId)).waits).toEqual([
      expect.objectContaining({
        stepId: 'legal',
        path: 'legal',
        resumeSchema: expect.objectContaining({ type: 'string' }),
      }),
      expect.objectContaining({ stepId: 'finance', reason: 'resume of "finance"' }),
    ])
    expect(await process.resume(executionId, 'f', 'finance')).toMatchObject({ status: 'suspended' })
    expect(await process.resume(executionId, 'l', 'legal')).toMatchObject({
      status: 'completed',
      result: ['l', 'f', 'noted'],
    })
    await expect(process.resume(executionId, 'l', 'legal')).rejects.toThrow('not suspended')
  })

  it('neither catch nor finally of a function runs when it waits', async () => {
    const runs: string[] = []
    const flow = createWorkflow({
      id: 'w',
      run: async ({ step }) => {
        try {
          return await step.suspend('ask', { resumeSchema: z.string() })
        } catch {
          runs.push('catch')
          return ''
        } finally {
          runs.push('finally')
        }
      },
    })
    const process = await engines.start([flow])
    const { executionId } = await process.execute('w')
    expect(runs).toEqual([])
    expect(await process.resume(executionId, 'yes')).toMatchObject({ result: 'yes' })
    expect(runs).toEqual(['finally'])
  })

  it('a failed call throws a StepError with the name and message of the error, in later passes too', async () => {
    class CardError extends Error {
      override readonly name = 'CardError'
      readonly code = 'declined'
    }
    const seen: unknown[] = []
    const flow = createWorkflow({
      id: 'w',
      run: async ({ step }) => {
        try {
          await step.run('charge', () => {
            throw new CardError('no money')
          })
        } catch (error) {
          seen.push([error instanceof StepError, error instanceof Error && `${error.name}: ${error.message}`])
        }
        await step.suspend('ask')
        return 'went on'
      },
    })
    const process = await engines.start([flow])
    const { executionId } = await process.execute('w')
    expect(await process.resume(executionId)).toMatchObject({ status: 'completed', result: 'went on' })
    expect(seen).toEqual([
      [true, 'CardError: no money'],
      [true, 'CardError: no money'],
    ])
    expect(await process.steps(executionId)).toEqual(['charge error 1', 'ask completed 1'])
  })

  it('an error that nothing catches fails the execution with it', async () => {
    const flow = createWorkflow({
      id: 'w',
      run: async ({ step }) => {
        await step.run(
          'charge',
          () => {
            throw new RangeError('no money')
          },
          { retries: { limit: 2, delayMs: 1 } },
        )
        return 1
      },
    })
    const process = await engines.start([flow])
    const { id, error } = await process.executeFailing('w')
    expect(error).toMatchObject({ name: 'RangeError', message: 'no money', stepId: 'charge' })
    expect(await process.steps(id)).toEqual(['charge error 3'])
  })

  it('the winner of a race wins again, and its losers are aborted and recorded as cancelled', async () => {
    const aborted: string[] = []
    const winners: string[] = []
    const flow = createWorkflow({
      id: 'w',
      run: async ({ step }) => {
        const winner = await Promise.race([
          step.run('slow', ({ signal }) => {
            signal.addEventListener('abort', () => aborted.push('slow'))
            return new Promise<string>(() => undefined)
          }),
          step.run('fast', () => 'fast'),
        ])
        winners.push(winner)
        return winner
      },
    })
    const process = await engines.start([flow])
    const { executionId, result } = await process.execute('w')
    expect(result).toBe('fast')
    expect(aborted).toEqual(['slow'])
    expect(await process.steps(executionId)).toEqual(['slow cancelled 1', 'fast completed 1'])
  })

  it.each([
    ['twice', '"a" is called twice'],
    ['detached', 'without waiting for "a"'],
    ['invalid', 'the id must be'],
    ['not JSON', 'input'],
  ])('a call that is %s is an error that says so', async (kind, message) => {
    const flow = createWorkflow({
      id: 'w',
      run: async ({ step }) => {
        if (kind === 'twice') await Promise.all([step.run('a', () => 1), step.run('a', () => 2)])
        if (kind === 'detached') void step.run('a', () => new Promise<null>(() => undefined))
        if (kind === 'invalid') await step.run('a b', () => 1)
        if (kind === 'not JSON') await step.sendEvent('a', { name: 'x', data: { big: 1n } })
        return 1
      },
    })
    const process = await engines.start([flow])
    const { error } = await process.executeFailing('w')
    expect(error?.message).toContain(message)
  })

  it('a call after the end of its function is an error, and records nothing', async () => {
    let late: (() => Promise<unknown>) | undefined
    const flow = createWorkflow({
      id: 'w',
      run: async ({ step }) => {
        late = () => step.run('late', () => 1)
        return step.run('a', () => 1)
      },
    })
    const process = await engines.start([flow])
    const { executionId } = await process.execute('w')
    await expect(late?.()).rejects.toThrow('"late" was called after its function had ended')
    expect(await process.steps(executionId)).toEqual(['a completed 1'])
  })

  it('a function makes no more calls than the limit', async () => {
    const flow = createWorkflow({
      id: 'w',
      run: async ({ step }) => {
        for (let index = 0; index < 4; index++) await step.run(`n${index}`, () => index)
        return 1
      },
    })
    const process = await engines.start([flow], { maxCalls: 3 })
    const { error } = await process.executeFailing('w')
    expect(error?.message).toContain('limits.calls')
  })

  it('a long sleep suspends a function, which goes on when it is over', async () => {
    const flow = createWorkflow({
      id: 'w',
      run: async ({ step }) => {
        await Promise.all([step.sleep('rest', '1h'), step.run('other', () => 1)])
        return 'rested'
      },
    })
    const process = await engines.start([flow])
    const { executionId, status } = await process.execute('w')
    expect(status).toBe('suspended')
    process.clock.advance(3_600_000)
    await process.store.dispatcher.change({
      add: [{ key: 'now', job: { kind: 'wake', id: executionId, sequence: 0 } }],
    })
    await expect.poll(() => process.status(executionId)).toBe('completed')
  })

  it('a function waits for an event, whose data its schema parses', async () => {
    const flow = createWorkflow({
      id: 'w',
      run: async ({ step }) =>
        step.waitForEvent('paid', {
          event: 'payment',
          key: 'A-1',
          schema: z.object({ amount: z.number().transform((n) => n * 2) }),
        }),
    })
    const process = await engines.start([flow])
    const { executionId } = await process.execute('w')
    const send = (data: unknown) =>
      process.engine.executions.sendEvent({ name: 'payment', key: 'A-1', data }, undefined)
    await send({ amount: 'much' })
    expect(await process.status(executionId)).toBe('suspended')
    await send({ amount: 4 })
    await expect.poll(() => process.status(executionId)).toBe('completed')
    expect((await process.detail(executionId)).output).toEqual({ amount: 8 })
  })

  it('a function runs another workflow, and suspends with it', async () => {
    const child = createWorkflow({ id: 'child', inputSchema: z.object({ n: z.number() }) }).andThen({
      id: 'ask',
      execute: ({ input, resumeData, suspend }): unknown => resumeData ?? suspend('why', { n: input.n }),
    })
    const parent = createWorkflow({
      id: 'parent',
      uses: [child],
      run: async ({ step }) => [await step.workflow('first', child, { n: 1 })],
    })
    const process = await engines.start([parent])
    const { executionId, status } = await process.execute('parent')
    expect(status).toBe('suspended')
    expect(await process.resume(executionId, 'because')).toMatchObject({ result: ['because'] })
  })

  it('recorded calls in a step are not repeated when the step is, and failed ones are', async () => {
    const runs: string[] = []
    let isBroken = true
    const flow = createWorkflow({ id: 'w' }).andThen({
      id: 'all',
      retries: { limit: 1, delayMs: 1 },
      execute: async ({ step }) => {
        const one = await step.run('one', () => {
          runs.push('one')
          return 1
        })
        const two = await step
          .run('two', () => {
            runs.push('two')
            if (isBroken) throw new Error('broken')
            return 2
          })
          .catch((error: unknown) => {
            isBroken = false
            throw error
          })
        return one + two
      },
    })
    const process = await engines.start([flow])
    const result = await process.execute('w')
    expect(result).toMatchObject({ status: 'completed', result: 3 })
    expect(runs).toEqual(['one', 'two', 'two'])
    expect((await process.steps(result.executionId)).toSorted()).toEqual([
      'all completed 2',
      'all/one completed 1',
      'all/two completed 1',
    ])
  })

  it('a call in a step suspends the execution, and the attempt goes on with the resume', async () => {
    const attempts: number[] = []
    const flow = createWorkflow({ id: 'w' })
      .andThen({
        id: 'outer',
        execute: async ({ step, attempt }) => {
          attempts.push(attempt)
          const answer = await step.suspend('ask', { resumeSchema: z.string() })
          return answer.toUpperCase()
        },
      })
      .andThen({ id: 'after', execute: ({ data }) => `${data}!` })
    const before = await engines.start([flow])
    const { executionId, status } = await before.execute('w')
    expect(status).toBe('suspended')
    await before.crash()
    const after = await engines.next(before)
    expect(await after.resume(executionId, 'yes')).toMatchObject({ status: 'completed', result: 'YES!' })
    expect(attempts).toEqual([1, 1])
  })

  it('a cancel ends a function that waits, and one that runs', async () => {
    const flow = createWorkflow({
      id: 'w',
      run: async ({ step, signal }) => {
        await step.suspend('ask')
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        )
        return 1
      },
    })
    const process = await engines.start([flow])
    const waiting = await process.execute('w')
    await process.engine.executions.cancel({ executionId: waiting.executionId })
    expect(await process.status(waiting.executionId)).toBe('cancelled')
    const { executionId } = await process.execute('w')
    const running = process.resume(executionId)
    await process.recorded(executionId, 'ask', 'completed')
    await process.engine.executions.cancel({ executionId })
    expect(await running).toMatchObject({ status: 'cancelled' })
  })

  it('a replay copies the calls that had ended before a call began', async () => {
    const runs: string[] = []
    const flow = createWorkflow({
      id: 'w',
      run: async ({ step }) => {
        const a = await step.run('a', () => runs.push('a'))
        const b = await step.run('b', () => runs.push('b'))
        return step.run('c', () => a + b + runs.push('c'))
      },
    })
    const process = await engines.start([flow])
    // all of them begin and end within a millisecond
    vi.spyOn(process.clock, 'now').mockReturnValue(Date.now())
    const { executionId } = await process.execute('w')
    const replayed = await process.engine.executions.replay({ executionId }, 'b', { decider: CODE_DECIDES })
    await replayed.result()
    expect(runs).toEqual(['a', 'b', 'c', 'b', 'c'])
  })

  it('items of a loop have recorded calls of their own', async () => {
    const flow = createWorkflow({ id: 'w' }).andForEach({
      id: 'lines',
      items: () => [1, 2],
      step: andThen({
        id: 'line',
        execute: ({ data, step }: StepContext<number>) => step.run('double', () => data * 2),
      }),
    })
    const process = await engines.start([flow])
    const { executionId, result } = await process.execute('w')
    expect(result).toEqual([2, 4])
    expect((await process.detail(executionId)).steps.map(({ path }) => path).toSorted()).toEqual([
      'lines',
      'lines[0]',
      'lines[0]/double',
      'lines[1]',
      'lines[1]/double',
    ])
  })

  it('code that was left when the execution was suspended records nothing, and gets no error', async () => {
    const runs: string[] = []
    const gate = createDeferred<void>()
    const flow = createWorkflow({
      id: 'w',
      run: async ({ step }) => {
        const outside = async () => {
          await gate.promise
          await step.run('late', () => void runs.push('late')).catch(() => runs.push('refund'))
        }
        if (runs.length === 0) void outside()
        return step.suspend('ask')
      },
    })
    const process = await engines.start([flow])
    const { executionId } = await process.execute('w')
    gate.resolve()
    await new Promise((resolve) => setImmediate(resolve))
    expect(runs).toEqual([])
    expect(await process.steps(executionId)).toEqual(['ask suspended 1'])
  })

  it('a step that takes too long aborts its calls, and its next attempt repeats those that had not ended', async () => {
    const runs: string[] = []
    const flow = createWorkflow({ id: 'w' }).andThen({
      id: 'outer',
      timeoutMs: 1000,
      retries: { limit: 1, delayMs: 1 },
      execute: async ({ step }) => {
        await step.run('quick', () => void runs.push('quick'))
        return step.run('hangs', ({ signal }) => {
          runs.push('hangs')
          if (runs.includes('aborted')) return 'done'
          return new Promise<string>(() => signal.addEventListener('abort', () => runs.push('aborted')))
        })
      },
    })
    const process = await engines.start([flow])
    expect(await process.execute('w')).toMatchObject({ status: 'completed', result: 'done' })
    expect(runs).toEqual(['quick', 'hangs', 'aborted', 'hangs'])
  })

  it('a failed step leaves no call open', async () => {
    const flow = createWorkflow({ id: 'w' }).andThen({
      id: 'outer',
      execute: async ({ step }) => {
        const hanging = step.run('hangs', () => new Promise<null>(() => undefined))
        await step.run('fails', () => {
          throw new Error('broken')
        })
        await hanging
      },
    })
    const process = await engines.start([flow])
    const { id, error } = await process.executeFailing('w')
    expect(error).toMatchObject({ message: 'broken' })
    expect((await process.steps(id)).toSorted()).toEqual([
      'outer error 1',
      'outer/fails error 1',
      'outer/hangs cancelled 1',
    ])
  })

  it('calls of tools and agents are recorded', async () => {
    const look = createTool({
      name: 'look',
      description: 'Looks',
      inputSchema: z.object({ id: z.string() }),
      execute: ({ id }) => ({ seen: id }),
    })
    const writer = createAgent({
      id: 'writer',
      name: 'Writer',
      instructions: 'Write',
      model: scriptedModel([{ text: 'Hello' }], { repeatLast: true }),
    })
    const flow = createWorkflow({
      id: 'w',
      uses: [writer],
      run: async ({ step }) => {
        const { seen } = await step.tool('look', look, { id: 'a' })
        const { text, finishReason } = await step.agent('note', writer, { prompt: 'Hi' })
        await step.suspend('ask')
        return { seen, text, finishReason }
      },
    })
    const process = await engines.start([flow])
    const { executionId } = await process.execute('w')
    expect(await process.resume(executionId)).toMatchObject({
      result: { seen: 'a', text: 'Hello', finishReason: 'stop' },
    })
    expect(await process.steps(executionId)).toEqual([
      'look completed 1',
      'note completed 1',
      'ask completed 1',
    ])
  })

  it('a tool records its parts, and waits in their middle', async () => {
    const booked: string[] = []
    const book = createTool({
      name: 'book',
      description: 'Books',
      inputSchema: z.object({ lines: z.array(z.string()) }),
      execute: async ({ lines }, { step }) => {
        for (const line of lines) await step.run(line, () => booked.push(line))
        const { by } = await step.suspend('sign', { resumeSchema: z.object({ by: z.string() }) })
        return { by, booked: lines.length }
      },
    })
    const flow = createWorkflow({
      id: 'w',
      run: ({ step }) => step.tool('book', book, { lines: ['a', 'b'] }),
    })
    const process = await engines.start([flow])
    const { executionId, status } = await process.execute('w')
    expect([status, await process.steps(executionId)]).toEqual([
      'suspended',
      ['book suspended 1', 'book/a completed 1', 'book/b completed 1', 'book/sign suspended 1'],
    ])
    expect(await process.resume(executionId, { by: 'ann' }, 'book/sign')).toMatchObject({
      result: { by: 'ann', booked: 2 },
    })
    expect(booked).toEqual(['a', 'b'])
  })

  it('a call of an agent waits for approval, which goes on with the answer', async () => {
    const calls: unknown[] = []
    const refund = createTool({
      name: 'refund',
      description: 'Refunds',
      inputSchema: z.object({ amount: z.number() }),
      needsApproval: true,
      execute: ({ amount }) => {
        calls.push(amount)
        return { refunded: amount }
      },
    })
    const clerk = createAgent({
      id: 'clerk',
      name: 'Clerk',
      instructions: 'Refund',
      tools: [refund],
      model: scriptedModel([
        { toolCalls: [{ toolName: 'refund', input: { amount: 5 } }] },
        { text: 'Refunded' },
      ]),
    })
    const flow = createWorkflow({
      id: 'w',
      uses: [clerk],
      run: async ({ step }) => (await step.agent('clerk', clerk, { prompt: 'Hi' })).text,
    })
    const process = await engines.start([flow], { agents: [] })
    const { executionId, status, suspension } = await process.execute('w')
    expect(status).toBe('suspended')
    const { approvals } = (suspension as { data: { approvals: { approvalId: string }[] } }).data
    await expect(process.resume(executionId, { approvals: [] })).rejects.toThrow('has no response')
    const approved = approvals.map(({ approvalId }) => ({ approvalId, approved: true }))
    expect(await process.resume(executionId, { approvals: approved })).toMatchObject({ result: 'Refunded' })
    expect(calls).toEqual([5])
  })

  it('a call of an agent that may wait, and is neither in the configuration nor in uses, fails before it begins', async () => {
    const clerk = createAgent({
      id: 'clerk',
      name: 'Clerk',
      instructions: 'Refund',
      model: scriptedModel([]),
      tools: [
        createTool({
          name: 'refund',
          description: 'Refunds',
          inputSchema: z.object({}),
          needsApproval: true,
          execute: () => 0,
        }),
      ],
    })
    const called: string[] = []
    const flow = createWorkflow({
      id: 'w',
      run: async ({ step }) => {
        await step.run('before', () => called.push('before'))
        return (await step.agent('note', clerk, { prompt: 'Hi' })).text
      },
    })
    const process = await engines.start([flow], { agents: [] })
    await expect(process.execute('w')).rejects.toHaveProperty(
      'cause.message',
      'Call "note": the agent "clerk" must be in agents of the configuration, or in uses of the workflow',
    )
    expect(called).toEqual(['before'])
  })
}
