import { expect, it } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../../src/agent/create-agent.ts'
import { demoModel } from '../../../src/agent/models/demo/demo-model.ts'
import { ExecutionEvent } from '../../../src/contract/event.ts'
import { ExecutionDetail } from '../../../src/contract/endpoints/execution.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { andWhen } from '../../../src/workflow/steps/and-when.ts'
import type { Engines } from './engine-suite.ts'

/** Steps in sequence: data, context, records and events. */
export function stepTests(engines: Engines): void {
  it('each step receives the result of the step before, and the last is the result of the execution', async () => {
    const sum = createWorkflow({ id: 'sum', inputSchema: z.object({ a: z.number() }) })
      .andThen({ id: 'one', execute: ({ data }) => ({ ...data, b: data.a + 1 }) })
      .andThen({ id: 'two', execute: async ({ data }) => data.a + data.b })
    const process = await engines.start([sum])
    const result = await process.execute('sum', { a: 1 })
    expect(result).toEqual({
      executionId: result.executionId,
      startAt: result.startAt,
      endAt: expect.any(String),
      status: 'completed',
      result: 3,
    })
    const record = await process.detail(result.executionId)
    expect(record).toMatchObject({
      workflowId: 'sum',
      workflowName: 'sum',
      status: 'completed',
      input: { a: 1 },
      output: 3,
      createdAt: result.startAt,
      endedAt: result.endAt,
      steps: [
        {
          path: 'one',
          type: 'andThen',
          status: 'completed',
          input: { a: 1 },
          output: { a: 1, b: 2 },
          attempts: 1,
        },
        { path: 'two', status: 'completed', input: { a: 1, b: 2 }, output: 3, attempts: 1 },
      ],
    })
    expect(record.metadata.traceId).toMatch(/^[0-9a-f]{32}$/)
    expect(record.metadata.spanId).toMatch(/^[0-9a-f]{16}$/)
    expect(ExecutionDetail.safeParse(record).error).toBeUndefined()
  })

  it('events are in order and end with the result', async () => {
    const greet = createWorkflow({ id: 'greet', name: 'Greeting' })
      .andThen({ id: 'a', execute: ({ data }) => ({ hello: data['name'] }) })
      .andThen({ id: 'b', execute: () => undefined })
    const process = await engines.start([greet])
    const { executionId, startAt, endAt } = await process.execute('greet', { name: 'Ann' })
    const hello = { hello: 'Ann' }
    expect(await process.events(executionId)).toEqual([
      { type: 'workflow-start', input: { name: 'Ann' } },
      {
        type: 'step-start',
        from: 'a',
        stepIndex: 0,
        stepType: 'andThen',
        attempt: 1,
        input: { name: 'Ann' },
      },
      { type: 'step-complete', from: 'a', stepIndex: 0, stepType: 'andThen', attempt: 1, output: hello },
      { type: 'step-start', from: 'b', stepIndex: 1, stepType: 'andThen', attempt: 1, input: hello },
      { type: 'step-complete', from: 'b', stepIndex: 1, stepType: 'andThen', attempt: 1, output: null },
      { type: 'workflow-complete', output: null },
      { type: 'workflow-result', startAt, endAt, status: 'completed', result: null },
    ])
    const rows = await process.store.executions.events(executionId, { after: 0, limit: 100 })
    expect(rows.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7])
    for (const { data } of rows) {
      const event = JSON.parse(data) as Record<string, unknown>
      expect(ExecutionEvent.safeParse(event).error).toBeUndefined()
      expect(event['executionId']).toBe(executionId)
    }
  })

  it('a record has the same events, those of the workflow under its name', async () => {
    const greet = createWorkflow({ id: 'greet', name: 'Greeting' }).andThen({ id: 'a', execute: () => 'hi' })
    const process = await engines.start([greet])
    const { executionId, startAt } = await process.execute('greet')
    const { events } = await process.detail(executionId)
    expect(events.map(({ id, type, name, from, status }) => [id, type, name, from, status])).toEqual([
      ['1', 'workflow-start', 'Greeting', 'Greeting', 'running'],
      ['2', 'step-start', 'a', 'a', 'running'],
      ['3', 'step-complete', 'a', 'a', 'success'],
      ['4', 'workflow-complete', 'Greeting', 'Greeting', 'success'],
      ['5', 'workflow-result', 'Greeting', 'Greeting', 'completed'],
    ])
    expect(events[0]).toMatchObject({ startTime: startAt, input: {} })
    expect(events[0]).not.toHaveProperty('endTime')
    expect(events[3]).toMatchObject({ output: 'hi', endTime: expect.any(String) })
    const [listed] = await process.engine.queries.list({}, { limit: 10, offset: 0 })
    expect(listed?.events.map(({ type }) => type)).toEqual(['workflow-start', 'workflow-complete'])
  })

  it('a step context has the ids, the user, the input and the data', async () => {
    const look = createWorkflow({ id: 'look' })
      .andThen({ id: 'first', execute: () => ({ n: 1 }) })
      .andThen({
        id: 'second',
        execute: (context) => {
          const { data, input, context: extra, userId, conversationId } = context
          const { executionId, stepId, attempt, idempotencyKey, resumeData, signal, logger } = context
          const own = { userId, conversationId, executionId, stepId, attempt, idempotencyKey, resumeData }
          logger.info('looked')
          return { data, input, extra, ...own, aborted: signal.aborted }
        },
      })
    const process = await engines.start([look])
    const options = { userId: 'ann', conversationId: 'talk', context: { tier: 'gold' }, executionId: 'mine' }
    expect((await process.execute('look', { x: 1 }, options)).result).toEqual({
      data: { n: 1 },
      input: { x: 1 },
      extra: { tier: 'gold' },
      userId: 'ann',
      conversationId: 'talk',
      executionId: 'mine',
      stepId: 'second',
      attempt: 1,
      idempotencyKey: 'mine:second',
      aborted: false,
    })
    expect(await process.detail('mine')).toMatchObject({
      userId: 'ann',
      conversationId: 'talk',
      context: { tier: 'gold' },
    })
    expect(process.logs).toContainEqual(
      expect.objectContaining({ msg: 'looked', executionId: 'mine', stepId: 'second' }),
    )
  })

  it('getStepResult returns the results of earlier steps, nested ones included', async () => {
    const look = createWorkflow({ id: 'look' })
      .andThen({ id: 'first', execute: () => ({ n: 1 }) })
      .andAll({ id: 'all', steps: [andThen({ id: 'nested', execute: () => 'deep' })] })
      .andThen({
        id: 'last',
        execute: ({ getStepResult }) =>
          ['first', 'nested', 'all', 'last'].map((id) => getStepResult(id) ?? 'nothing'),
      })
    const process = await engines.start([look])
    const { result } = await process.execute('look')
    expect(result).toEqual([{ n: 1 }, 'deep', ['deep'], 'nothing'])
  })

  it('results has the results of earlier steps in every function of a step', async () => {
    const functions: unknown[] = []
    const agent = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Help', model: demoModel() })
    const look = createWorkflow({ id: 'look' })
      .andThen({ id: 'first', execute: () => ({ n: 1 }) })
      .andTap({ id: 'tapped', execute: () => 'ignored' })
      .andTap({
        id: 'failed',
        execute: () => {
          throw new Error('ignored, too')
        },
      })
      .andWhen({
        id: 'when',
        condition: ({ results }) => functions.push(results.failed) > 0,
        step: andThen({ id: 'inner', execute: ({ results }) => functions.push(results.tapped) }),
      })
      .andWhen({ id: 'never', condition: () => false, step: andThen({ id: 'skipped', execute: () => 1 }) })
      .andSleep({ id: 'sleep', for: ({ results }) => functions.push(results.inner ?? null) - 3 })
      .andForEach({
        id: 'each',
        items: ({ results }) => [results.first.n],
        step: andThen({ id: 'item', execute: ({ results }) => functions.push(results.first) }),
      })
      .andAgent({
        id: 'note',
        agent,
        prompt: ({ results }) => `${functions.push(results.each)}`,
      })
      .andThen({
        id: 'last',
        execute: ({ results }) => [Object.keys(results), { ...results }.never, results.skipped ?? null],
      })
    const process = await engines.start([look])
    const { result } = await process.execute('look', { n: 7 })
    expect(functions).toEqual([{ n: 1 }, { n: 1 }, 2, { n: 1 }, [4]])
    expect(result).toEqual([
      [
        'first',
        'tapped',
        'failed',
        'when',
        'inner',
        'never',
        'skipped',
        'sleep',
        'each',
        'item',
        'note',
        'last',
      ],
      2,
      null,
    ])
  })

  it('results and getStepResult name the known steps when an id is unknown', async () => {
    const look = createWorkflow({ id: 'look' })
      .andThen({ id: 'charge', execute: () => 1 })
      .andThen({
        id: 'last',
        execute: ({ getStepResult, results }) =>
          [() => getStepResult('chrage'), () => (results as Record<string, unknown>)['chrage']].map(
            (read) => {
              try {
                return String(read())
              } catch (error) {
                return String(error)
              }
            },
          ),
      })
    const process = await engines.start([look])
    const { result } = await process.execute('look')
    const message = 'TypeError: the workflow "look" has no step "chrage"; its steps are charge, last'
    expect(result).toEqual([message, message])
  })

  it('getStepResult returns the result of a step given the step itself', async () => {
    const first = andThen({ id: 'first', execute: () => ({ n: 1 }) })
    const unused = andThen({ id: 'unused', execute: () => 'never' })
    const look = createWorkflow(
      { id: 'look' },
      first,
      andWhen({ id: 'when', condition: () => false, step: unused }),
      andThen({
        id: 'last',
        execute: ({ getStepResult }) => [getStepResult(first)?.n ?? 0, getStepResult(unused) ?? 'nothing'],
      }),
    )
    const process = await engines.start([look])
    expect((await process.execute('look')).result).toEqual([1, 'nothing'])
  })

  it('data, input and context are copied for each attempt and each step', async () => {
    const spoil = createWorkflow({ id: 'spoil', retries: { limit: 1, delayMs: 0 } })
      .andThen({
        id: 'a',
        execute: ({ data, input, context, attempt }) => {
          const before = JSON.stringify([data, input, context])
          for (const value of [data, input, context]) Object.assign(value, { spoilt: true })
          if (attempt === 1) throw new Error('again')
          return before
        },
      })
      .andThen({ id: 'b', execute: ({ data, input, context }) => [data, JSON.stringify([input, context])] })
    const process = await engines.start([spoil])
    const { result } = await process.execute('spoil', { n: 1 }, { context: { c: 1 } })
    expect(result).toEqual(['[{"n":1},{"n":1},{"c":1}]', '[{"n":1},{"c":1}]'])
  })

  it('emitted events come between the start and the end of their step', async () => {
    const emits = createWorkflow({ id: 'emits' }).andThen({
      id: 'a',
      execute: async ({ emit }) => {
        emit('progress', { percent: 50 })
        await new Promise((resolve) => setImmediate(resolve))
        emit('done')
      },
    })
    const process = await engines.start([emits])
    const { executionId } = await process.execute('emits')
    expect((await process.events(executionId)).slice(2, 4)).toEqual([
      { type: 'custom', from: 'a', name: 'progress', data: { percent: 50 } },
      { type: 'custom', from: 'a', name: 'done', data: null },
    ])
    expect((await process.story(executionId)).slice(1, 5)).toEqual([
      'step-start a',
      'custom a',
      'custom a',
      'step-complete a',
    ])
  })

  it('events emitted after the end of the execution are dropped', async () => {
    let late: (type: string) => void = () => undefined
    const emits = createWorkflow({ id: 'emits' }).andThen({
      id: 'a',
      execute: ({ emit }) => void (late = emit),
    })
    const process = await engines.start([emits])
    const { executionId } = await process.execute('emits')
    const before = await process.story(executionId)
    expect(() => late('too late')).not.toThrow()
    await process.execute('emits')
    expect(await process.story(executionId)).toEqual(before)
  })

  it('an input is validated by its schema before anything is stored', async () => {
    const schema = z.object({ id: z.string(), size: z.number().default(7) })
    const parse = createWorkflow({ id: 'parse', inputSchema: schema }).andThen({
      id: 'a',
      execute: ({ data }) => data,
    })
    const process = await engines.start([parse])
    const { executionId, result } = await process.execute('parse', { id: 'x', extra: 1 })
    expect(result).toEqual({ id: 'x', size: 7 })
    expect((await process.detail(executionId)).input).toEqual({ id: 'x', size: 7 })
    await expect(process.startExecution('parse', {})).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'Input validation failed: input.id: Required',
    })
    await expect(process.startExecution('nobody', {})).rejects.toMatchObject({ code: 'not_found' })
    expect(await process.engine.queries.count({})).toBe(1)
  })

  it.each([[[]], ['text'], [null], [5]])(
    'an input without a schema has to be an object, not %j',
    async (input) => {
      const process = await engines.start([
        createWorkflow({ id: 'w' }).andThen({ id: 'a', execute: () => 1 }),
      ])
      await expect(process.startExecution('w', input)).rejects.toMatchObject({
        code: 'invalid_input',
        message: 'Input validation failed: input: Expected an object',
      })
    },
  )

  it('an execution id that is in use is refused, and no step runs', async () => {
    let runs = 0
    const count = createWorkflow({ id: 'count' }).andThen({ id: 'a', execute: () => ++runs })
    const process = await engines.start([count])
    const attempts = await Promise.allSettled(
      Array.from({ length: 5 }, () => process.execute('count', {}, { executionId: 'mine' })),
    )
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const again = await process.engine.executions.execute('count', {}, { executionId: 'mine' })
    await expect(again.result()).rejects.toMatchObject({ code: 'conflict' })
    await expect(again.stored()).rejects.toMatchObject({
      code: 'conflict',
      message: 'Execution id already used: mine',
    })
    expect(runs).toBe(1)
    expect(await process.status('mine')).toBe('completed')
  })

  it('a workflow is running while an execution of it is', async () => {
    let finish: () => void = () => undefined
    const gate = new Promise<void>((resolve) => (finish = resolve))
    const waits = createWorkflow({ id: 'waits' }, andThen({ id: 'a', execute: () => gate }))
    const process = await engines.start([waits])
    expect(process.engine.running.has('waits')).toBe(false)
    const started = await process.startExecution('waits')
    expect(process.engine.running.has('waits')).toBe(true)
    finish()
    await started.result()
    expect(process.engine.running.has('waits')).toBe(false)
  })

  it('an agent step returns text, an object, or the result of map', async () => {
    const agent = createAgent({ id: 'helper', name: 'Helper', instructions: 'Help', model: demoModel() })
    const schema = z.object({ city: z.string(), days: z.int() })
    const ask = createWorkflow({ id: 'ask', inputSchema: z.object({ q: z.string() }) })
      .andAgent({ id: 'text', agent, prompt: ({ data }) => `Answer ${data.q}` })
      .andAgent({ id: 'object', agent, prompt: 'A trip', schema })
      .andAgent({
        id: 'mapped',
        agent,
        prompt: 'Words',
        map: ({ data, result }) => ({ ...data, said: result.text }),
      })
    const process = await engines.start([ask])
    const { executionId, result } = await process.execute('ask', { q: 'this' })
    const { steps } = await process.detail(executionId)
    expect(steps.map(({ path, type, status }) => [path, type, status])).toEqual([
      ['text', 'andAgent', 'completed'],
      ['object', 'andAgent', 'completed'],
      ['mapped', 'andAgent', 'completed'],
    ])
    expect(steps[0]?.output).toEqual({ text: expect.stringMatching(/demo/i) })
    expect(schema.safeParse(steps[1]?.output).success).toBe(true)
    expect(result).toEqual({ ...(steps[1]?.output as object), said: expect.any(String) })
  })
}
