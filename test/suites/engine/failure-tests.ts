import { expect, it } from 'vitest'
import { z } from 'zod'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { NonRetryableError } from '../../../src/step/retry.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import type { Engines } from './engine-suite.ts'

/** Errors, retries and time-outs. */
export function failureTests(engines: Engines): void {
  it('an execution ends with the error of its failed step, and later steps do not run', async () => {
    const broken = createWorkflow({ id: 'broken' })
      .andThen({
        id: 'bad',
        execute: (): string => {
          throw new RangeError('out of range', { cause: new Error('deeper', { cause: 'deepest' }) })
        },
      })
      .andThen({ id: 'after', execute: () => 1 })
    const process = await engines.start([broken])
    const started = await process.startExecution('broken')
    await expect(started.result()).rejects.toMatchObject({
      code: 'execution_failed',
      message: 'Workflow execution failed',
      headers: { 'X-Execution-Id': started.executionId },
    })
    const error = {
      message: 'out of range',
      name: 'RangeError',
      stepId: 'bad',
      cause: { message: 'deeper', name: 'Error', cause: { message: 'deepest', name: 'Error' } },
    }
    const record = await process.detail(started.executionId)
    expect(record).toMatchObject({ status: 'error', error, endedAt: expect.any(String) })
    expect(record.error).not.toHaveProperty('stack')
    expect(record).not.toHaveProperty('output')
    expect(await process.steps(record.id)).toEqual(['bad error 1'])
    expect((await process.events(record.id)).slice(2)).toEqual([
      {
        type: 'step-error',
        from: 'bad',
        stepIndex: 0,
        stepType: 'andThen',
        error,
        attempt: 1,
        willRetry: false,
      },
      { type: 'workflow-error', error },
      {
        type: 'workflow-result',
        startAt: started.startAt,
        endAt: record.endedAt,
        status: 'error',
        error,
        result: null,
      },
    ])
  })

  it('credentials in an error are redacted in the record', async () => {
    const w = createWorkflow({ id: 'w' }).andThen({
      id: 'a',
      execute: () => {
        throw new Error('refused Bearer abc.def-1', { cause: new Error('key sk-proj-12345678') })
      },
    })
    const process = await engines.start([w], { stacks: true })
    const record = await process.executeFailing('w')
    expect(record.error).toMatchObject({
      message: 'refused Bearer [redacted]',
      cause: { message: 'key [redacted]' },
    })
    const events = JSON.stringify(await process.events(record.id))
    expect(JSON.stringify(record) + events).not.toMatch(/abc\.def-1|sk-proj/)
  })

  it.each<[string, object]>([
    ['a result that is not JSON', { execute: () => ({ at: new Date() }) }],
    ['a result that does not match', { outputSchema: z.string(), execute: () => 1 }],
    ['a time-out', { timeoutMs: 1, execute: () => new Promise(() => undefined) }],
    ['a thrown text', { execute: () => Promise.reject('a text') }],
  ])('the error of %s points to the line of its step', async (_, options) => {
    const { stack: here = '' } = new Error('here')
    const w = createWorkflow({ id: 'w' }).andThen({ id: 'a', execute: () => 1, ...options })
    const process = await engines.start([w], { stacks: true })
    const { stack } = (await process.executeFailing('w')).error ?? {}
    const line = Number(/failure-tests\.ts:(\d+)/.exec(here)?.[1]) + 1
    expect(stack?.split('\n')[1]).toMatch(
      new RegExp(String.raw`^    at step "a" \(test/suites/engine/failure-tests\.ts:${line}:\d+\)$`),
    )
  })

  it('stacks are recorded with project-relative paths where that is allowed', async () => {
    const execute = () => {
      throw new Error('here')
    }
    const process = await engines.start([createWorkflow({ id: 'w' }).andThen({ id: 'a', execute })], {
      stacks: true,
    })
    const { stack } = (await process.executeFailing('w')).error ?? {}
    expect(stack).toMatch(/^Error: here\n.*at .*test\/suites\/engine\/failure-tests\.ts:\d+/)
    expect(stack).not.toContain(globalThis.process.cwd())
  })

  it.each([
    ['a string', 'plain text', 'plain text'],
    ['an object', { code: 7 }, 'Thrown value: {"code":7}'],
    ['nothing', undefined, 'Thrown value: undefined'],
    ['a bigint', 5n, 'Thrown value: "5"'],
  ])('%s that is thrown is recorded as an error', async (_, thrown, message) => {
    const execute = () => {
      throw thrown
    }
    const process = await engines.start([createWorkflow({ id: 'w' }).andThen({ id: 'a', execute })])
    expect((await process.executeFailing('w')).error).toEqual({ message, name: 'Error', stepId: 'a' })
  })

  it('the message and stack of an error are limited, and a secret at the limit is masked', async () => {
    const message = `${'x '.repeat(4090)}sk-proj-0123456789abcdefghijklmnop${' y'.repeat(1_000_000)}`
    const execute = () => {
      throw new Error(message, { cause: { message } })
    }
    const process = await engines.start([createWorkflow({ id: 'w' }).andThen({ id: 'a', execute })], {
      stacks: true,
    })
    const record = await process.executeFailing('w')
    const { error } = record
    for (const text of [error?.message, error?.stack]) {
      expect(text).toHaveLength(8192)
      expect(text).toMatch(/x \[r.*…$/)
    }
    expect(JSON.stringify(record)).not.toContain('sk-proj')
  })

  it('a failed step is retried up to its limit, with attempts counted from 1', async () => {
    const attempts: number[] = []
    const keys = new Set<string>()
    const flaky = createWorkflow({ id: 'flaky' }).andThen({
      id: 'a',
      retries: { limit: 2, delayMs: 1 },
      execute: ({ attempt, idempotencyKey }) => {
        attempts.push(attempt)
        keys.add(idempotencyKey)
        if (attempt < 3) throw new Error(`no ${attempt}`)
        return attempt
      },
    })
    const process = await engines.start([flaky])
    const { executionId, result } = await process.execute('flaky')
    expect(result).toBe(3)
    expect(attempts).toEqual([1, 2, 3])
    expect([...keys]).toEqual([`${executionId}:a`])
    const seen = (await process.events(executionId)).slice(1, -2)
    expect(seen.map(({ type, attempt, willRetry }) => [type, attempt, willRetry])).toEqual([
      ['step-start', 1, undefined],
      ['step-error', 1, true],
      ['step-start', 2, undefined],
      ['step-error', 2, true],
      ['step-start', 3, undefined],
      ['step-complete', 3, undefined],
    ])
    const step = await process.step(executionId, 'a')
    expect(step).toMatchObject({ status: 'completed', attempts: 3 })
    expect(step).not.toHaveProperty('error')
  })

  it('the last error is recorded once the retries are used up', async () => {
    const flaky = createWorkflow({ id: 'flaky', retries: { limit: 2, delayMs: 0 } }).andThen({
      id: 'a',
      execute: ({ attempt }) => {
        throw new Error(`no ${attempt}`)
      },
    })
    const process = await engines.start([flaky])
    const record = await process.executeFailing('flaky')
    expect(record.error?.message).toBe('no 3')
    expect(record.steps[0]?.attempts).toBe(3)
  })

  it('the pause before each retry grows, up to its maximum', async () => {
    const times: number[] = []
    const flaky = createWorkflow({ id: 'flaky' }).andThen({
      id: 'a',
      retries: { limit: 3, delayMs: 10, factor: 3, maxDelayMs: 30 },
      execute: ({ attempt }) => {
        times.push(performance.now())
        if (attempt < 4) throw new Error('again')
      },
    })
    const process = await engines.start([flaky])
    await process.execute('flaky')
    const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    for (const [index, least] of [9, 29, 29].entries()) expect(waits[index]).toBeGreaterThan(least)
  })

  it("a step's retries override the workflow's", async () => {
    const flaky = createWorkflow({ id: 'flaky', retries: { limit: 5, delayMs: 0 } }).andThen({
      id: 'a',
      retries: 0,
      execute: () => {
        throw new Error('no')
      },
    })
    const process = await engines.start([flaky])
    expect((await process.executeFailing('flaky')).steps[0]?.attempts).toBe(1)
  })

  it.each([
    ['NonRetryableError', () => new NonRetryableError('for good')],
    [
      'a NonRetryableError of another copy of the class',
      () => Object.assign(new Error('for good'), { name: 'NonRetryableError' }),
    ],
    [
      'an error derived from NonRetryableError',
      () => new (class Refused extends NonRetryableError {})('for good'),
    ],
  ])('%s is not retried', async (_, thrown) => {
    const flaky = createWorkflow({ id: 'flaky' }).andThen({
      id: 'a',
      retries: { limit: 5, delayMs: 0 },
      execute: () => {
        throw thrown()
      },
    })
    const process = await engines.start([flaky])
    const record = await process.executeFailing('flaky')
    expect(record.error).toMatchObject({ message: 'for good', name: 'NonRetryableError' })
    expect(record.steps[0]?.attempts).toBe(1)
  })

  it('an attempt that exceeds its time-out is aborted and retried', async () => {
    const reasons: unknown[] = []
    const slow = createWorkflow({ id: 'slow' }).andThen({
      id: 'a',
      timeoutMs: 10,
      retries: { limit: 1, delayMs: 0 },
      execute: ({ signal, attempt }) => {
        signal.addEventListener('abort', () => reasons.push(signal.reason))
        return attempt === 2 ? 'in time' : new Promise<string>(() => undefined)
      },
    })
    const process = await engines.start([slow])
    const { executionId, result } = await process.execute('slow')
    expect(result).toBe('in time')
    expect(reasons).toEqual([expect.objectContaining({ name: 'StepTimeoutError' })])
    expect((await process.events(executionId))[2]).toMatchObject({
      type: 'step-error',
      error: { name: 'StepTimeoutError', message: 'The step took longer than 10 ms' },
      willRetry: true,
    })
  })

  it('a step that ignores its signal fails at its time-out', async () => {
    const execute = () => new Promise(() => undefined)
    const process = await engines.start([
      createWorkflow({ id: 'slow' }).andThen({ id: 'a', timeoutMs: 5, execute }),
    ])
    expect((await process.executeFailing('slow')).error?.name).toBe('StepTimeoutError')
  })

  it('a time-out can be months', async () => {
    const step = andThen({
      id: 'a',
      timeoutMs: 90 * 86_400_000,
      execute: () => new Promise((resolve) => setTimeout(resolve, 5, 'ok')),
    })
    const process = await engines.start([createWorkflow({ id: 'w' }, step)])
    expect((await process.execute('w')).result).toBe('ok')
  })
}
