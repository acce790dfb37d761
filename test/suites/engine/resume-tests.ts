import { expect, it } from 'vitest'
import { z } from 'zod'
import { CODE_DECIDES } from '../../../src/contract/access/decision.ts'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { andWhen } from '../../../src/workflow/steps/and-when.ts'
import type { Engines } from './engine-suite.ts'
import { giving, sleep, suspending } from './sample-steps.ts'

/** Resuming suspended executions. */
export function resumeTests(engines: Engines): void {
  it('a resume runs the step again with its data, and continues from there', async () => {
    let before = 0
    const asks = createWorkflow({ id: 'asks' })
      .andThen({ id: 'before', execute: () => ++before })
      .andThen({
        id: 'ask',
        execute: ({ data, attempt, suspend, resumeData }) =>
          resumeData === undefined ? suspend('why') : { data, attempt, resumeData },
      })
      .andThen({ id: 'after', execute: ({ data }) => [data] })
    const process = await engines.start([asks])
    const { executionId, startAt } = await process.execute('asks')
    const result = await process.resume(executionId, { ok: true }, 'ask')
    const output = { data: 1, attempt: 1, resumeData: { ok: true } }
    expect(result).toEqual({
      executionId,
      startAt,
      endAt: expect.any(String),
      status: 'completed',
      result: [output],
    })
    expect(before).toBe(1)
    expect(await process.steps(executionId)).toEqual([
      'before completed 1',
      'ask completed 1',
      'after completed 1',
    ])
    expect((await process.events(executionId)).slice(5, 9)).toEqual([
      {
        type: 'workflow-result',
        startAt,
        endAt: null,
        status: 'suspended',
        suspension: expect.anything(),
        result: null,
      },
      {
        type: 'workflow-resumed',
        stepId: 'ask',
        resumedAs: 'code',
        resumedOver: 'code',
        resumeData: { ok: true },
      },
      { type: 'step-start', from: 'ask', stepIndex: 1, stepType: 'andThen', attempt: 1, input: 1 },
      { type: 'step-complete', from: 'ask', stepIndex: 1, stepType: 'andThen', attempt: 1, output: output },
    ])
    const record = await process.detail(executionId)
    expect(record).not.toHaveProperty('suspension')
    await expect(process.resume(executionId)).rejects.toMatchObject({
      code: 'not_resumable',
      message: `Execution not found or not suspended: ${executionId}`,
    })
  })

  it('one of fifty concurrent resumes wins; the others fail as not suspended', async () => {
    let resumed = 0
    const step = andThen({
      id: 'a',
      execute: async ({ suspend, resumeData }): Promise<unknown> => {
        if (resumeData === undefined) return suspend('why')
        resumed++
        await sleep(2)
        return resumeData
      },
    })
    const process = await engines.start([createWorkflow({ id: 'w' }, step)])
    const { executionId } = await process.execute('w')
    const attempts = await Promise.allSettled(
      Array.from({ length: 50 }, (_, n) => process.resume(executionId, n)),
    )
    const won = attempts.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    expect(won).toHaveLength(1)
    const codes = attempts.flatMap((one) =>
      one.status === 'rejected' ? (one.reason as { code: string }).code : [],
    )
    expect(new Set(codes)).toEqual(new Set(['not_resumable']))
    expect(resumed).toBe(1)
    expect((await process.detail(executionId)).output).toBe(won[0]?.result)
  })

  it('a resumed step can suspend any number of times', async () => {
    const seen: unknown[] = []
    const step = andThen({
      id: 'a',
      execute: ({ suspend, resumeData }): unknown => {
        seen.push(resumeData ?? 'none')
        return resumeData === 'last' ? 'done' : suspend(`after ${String(resumeData as unknown)}`)
      },
    })
    const process = await engines.start([createWorkflow({ id: 'w' }, step)])
    const { executionId } = await process.execute('w')
    const second = await process.resume(executionId, 'one')
    expect(second).toMatchObject({
      status: 'suspended',
      endAt: null,
      suspension: { reason: 'after one', stepId: 'a' },
    })
    expect(await process.resume(executionId, 'two')).toMatchObject({ suspension: { reason: 'after two' } })
    expect(await process.resume(executionId, 'last')).toMatchObject({ status: 'completed', result: 'done' })
    expect(seen).toEqual(['none', 'one', 'two', 'last'])
  })

  it('a resume never applies to a later suspension', async () => {
    // the first resume is still being validated when the second has resumed the step, which suspends again
    const gate = createDeferred<boolean>()
    const resumeSchema = z.object({ wait: z.boolean() }).refine(({ wait }) => !wait || gate.promise)
    const step = andThen({
      id: 'a',
      resumeSchema,
      execute: ({ suspend, resumeData }): unknown => suspend(resumeData ? 'something else' : 'something'),
    })
    const process = await engines.start([createWorkflow({ id: 'w' }, step)])
    const { executionId } = await process.execute('w')
    const slow = process.resume(executionId, { wait: true })
    slow.catch(() => undefined)
    expect((await process.resume(executionId, { wait: false })).suspension?.reason).toBe('something else')
    gate.resolve(true)
    await expect(slow).rejects.toMatchObject({ code: 'not_resumable' })
    expect((await process.detail(executionId)).suspension?.reason).toBe('something else')
  })

  it('resume data is validated by the schema of the step, and defaults are applied', async () => {
    const resumeSchema = z.object({ ok: z.boolean(), note: z.string().default('none') })
    const step = andThen({
      id: 'a',
      resumeSchema,
      execute: ({ suspend, resumeData }) => resumeData ?? suspend(),
    })
    const process = await engines.start([createWorkflow({ id: 'w' }, step)])
    const { executionId } = await process.execute('w')
    for (const [wrong, field] of [
      [{}, 'resumeData.ok: Required'],
      [undefined, 'resumeData: '],
      [{ ok: 'yes' }, 'resumeData.ok: '],
    ] as const) {
      await expect(process.resume(executionId, wrong)).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringContaining(`Resume data validation failed: ${field}`),
      })
    }
    expect(await process.status(executionId)).toBe('suspended')
    expect((await process.resume(executionId, { ok: true })).result).toEqual({ ok: true, note: 'none' })
  })

  it("the workflow's resume schema applies where the step has none", async () => {
    const resumeSchema = z.object({ ok: z.boolean() })
    const process = await engines.start([createWorkflow({ id: 'w', resumeSchema }, suspending('a'))])
    const { executionId } = await process.execute('w')
    await expect(process.resume(executionId, {})).rejects.toMatchObject({ code: 'invalid_input' })
    expect((await process.resume(executionId, { ok: false })).result).toEqual({ ok: false })
  })

  it('a resume of another step, an unknown execution or another workflow is refused', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }, giving('first', 1), suspending('a')),
      createWorkflow({ id: 'other' }, giving('a', 1)),
    ])
    const { executionId } = await process.execute('w')
    await expect(process.resume(executionId, 1, 'first')).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'options.stepId: the suspended step is "a", not "first"',
    })
    await expect(process.resume('nobody', 1)).rejects.toMatchObject({ status: 404 })
    const elsewhere = process.engine.executions.resume({ executionId, workflowId: 'other' }, 1, {
      decider: CODE_DECIDES,
    })
    await expect(elsewhere).rejects.toMatchObject({ status: 404 })
    expect(await process.status(executionId)).toBe('suspended')
  })

  it('a resume fails where the resumed step fails', async () => {
    const step = andThen({
      id: 'a',
      execute: ({ suspend, resumeData }): unknown => {
        if (resumeData) throw new Error('refused')
        return suspend()
      },
    })
    const process = await engines.start([createWorkflow({ id: 'w' }, step)])
    const { executionId } = await process.execute('w')
    await expect(process.resume(executionId, true)).rejects.toMatchObject({ code: 'execution_failed' })
    expect((await process.detail(executionId)).error).toMatchObject({ message: 'refused', stepId: 'a' })
  })

  it('a nested step resumes without evaluating its condition again', async () => {
    let decided = 0
    const when = createWorkflow({ id: 'when' })
      .andWhen({ id: 'w', condition: () => ++decided === 1, step: suspending('ask') })
      .andThen({ id: 'after', execute: ({ data }) => [data] })
    const process = await engines.start([when])
    const { executionId, suspension } = await process.execute('when')
    expect(suspension).toMatchObject({ stepId: 'ask', suspendedStepIndex: 0, reason: 'ask asks' })
    expect(await process.steps(executionId)).toEqual(['w suspended 1', 'w/ask suspended 1'])
    expect((await process.resume(executionId, 'yes')).result).toEqual(['yes'])
    expect(decided).toBe(1)
    expect((await process.story(executionId)).filter((line) => line.endsWith(' w'))).toEqual([
      'step-start w',
      'step-complete w',
    ])
    expect(await process.steps(executionId)).toEqual([
      'w completed 1',
      'w/ask completed 1',
      'after completed 1',
    ])
  })

  it('several suspended branches are resumed one after the other', async () => {
    let runs = 0
    const all = createWorkflow({ id: 'all' }).andAll({
      id: 'g',
      steps: [
        suspending('first'),
        andThen({ id: 'works', execute: () => ++runs }),
        andWhen({ id: 'w', condition: () => true, step: suspending('second') }),
      ],
    })
    const process = await engines.start([all])
    const { executionId, suspension } = await process.execute('all')
    expect(suspension).toMatchObject({ stepId: 'first', data: { asked: 'first' } })
    await expect(process.resume(executionId, 2, 'second')).rejects.toMatchObject({ code: 'invalid_input' })
    const then = await process.resume(executionId, 1)
    expect(then).toMatchObject({
      status: 'suspended',
      suspension: { stepId: 'second', data: { asked: 'second' } },
    })
    expect(await process.resume(executionId, 2)).toMatchObject({ status: 'completed', result: [1, 1, 2] })
    expect(runs).toBe(1)
  })

  it('a race without a winner suspends, and is won by the resumed branch', async () => {
    const race = createWorkflow({ id: 'race' }).andRace({
      id: 'r',
      steps: [andThen({ id: 'bad', execute: () => Promise.reject(new Error('no')) }), suspending('ask')],
    })
    const process = await engines.start([race])
    const { executionId, suspension } = await process.execute('race')
    expect(suspension?.stepId).toBe('ask')
    expect(await process.resume(executionId, 'yes')).toMatchObject({ status: 'completed', result: 'yes' })
    expect((await process.steps(executionId)).toSorted()).toEqual([
      'r completed 1',
      'r/ask completed 1',
      'r/bad error 1',
    ])
  })

  it('an execution resumes in another process', async () => {
    const first = await engines.start([createWorkflow({ id: 'w' }, giving('a', 1), suspending('b'))])
    const { executionId } = await first.execute('w')
    await first.stop()
    const second = await engines.next(first)
    expect((await second.resume(executionId, 'late')).result).toBe('late')
    expect((await second.detail(executionId)).events.map(({ id }) => Number(id))).toEqual(
      Array.from({ length: 11 }, (_, index) => index + 1),
    )
  })

  it('a changed workflow resumes with a warning in the log', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, suspending('a'))])
    const { executionId } = await process.execute('w')
    process.reload([createWorkflow({ id: 'w' }, suspending('a'), giving('new', 'by the new code'))])
    expect((await process.resume(executionId, 1)).result).toBe('by the new code')
    expect(process.logs).toContainEqual(
      expect.objectContaining({
        level: 40,
        msg: `Execution ${executionId} resumes with a workflow whose steps changed since it started`,
      }),
    )
  })

  it('a workflow of which only the code of a step changed resumes without a warning', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, suspending('a'), giving('b', 'old'))])
    const { executionId } = await process.execute('w')
    process.reload([createWorkflow({ id: 'w' }, suspending('a'), giving('b', 'new'))])
    expect((await process.resume(executionId, 1)).result).toBe('new')
    expect(process.logs.filter(({ level }) => level >= 40)).toEqual([])
  })

  it.each([
    [
      'step',
      [createWorkflow({ id: 'w' }, giving('other', 1))],
      /^The step "a" was removed from the workflow/,
    ],
    ['workflow', [], /^The workflow "w" was removed/],
  ] as const)('a resume is a conflict where the %s was removed', async (_, workflows, message) => {
    const process = await engines.start([createWorkflow({ id: 'w' }, suspending('a'))])
    const { executionId } = await process.execute('w')
    process.reload(workflows)
    await expect(process.resume(executionId, 1)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(message),
    })
    expect(await process.status(executionId)).toBe('suspended')
  })
}
