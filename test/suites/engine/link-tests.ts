import { expect, it } from 'vitest'
import { CODE_DECIDES } from '../../../src/contract/access/decision.ts'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import type { Engines } from './engine-suite.ts'
import { suspending } from './sample-steps.ts'

/** Links to suspensions. */
export function linkTests(engines: Engines): void {
  const linkTo = ({ path, resumes }: { path: string; resumes: number }) => `link:${path}:${resumes}`

  it('notify of a suspension runs again after a crash, and its recorded calls do not', async () => {
    const runs: string[] = []
    let gate = createDeferred<void>()
    const flow = createWorkflow({
      id: 'f',
      run: async ({ step }) =>
        step.suspend('ask', {
          reason: 'Please decide',
          notify: async ({ url, step: within }) => {
            runs.push('notify')
            await within.run('mail', () => void runs.push(url))
            await gate.promise
          },
        }),
    })
    const before = await engines.start([flow], { linkTo })
    const { executionId } = await before.startExecution('f')
    await before.recorded(executionId, 'ask/mail', 'completed')
    await before.crash()
    gate = createDeferred()
    gate.resolve()
    const process = await engines.next(before)
    await expect.poll(() => process.status(executionId)).toBe('suspended')
    expect(runs).toEqual(['notify', 'link:ask:0', 'notify'])
    expect((await process.detail(executionId)).suspension).toMatchObject({ reason: 'Please decide' })
    expect(await process.resume(executionId, 'yes')).toMatchObject({ status: 'completed', result: 'yes' })
    expect(runs).toHaveLength(3)
  })

  it('without a link notify is not called, and a notify that fails fails the call', async () => {
    const runs: string[] = []
    const flow = createWorkflow({
      id: 'f',
      run: async ({ step }) =>
        step.suspend('ask', {
          notify: ({ url }) => {
            runs.push(url)
            throw new Error('no mail')
          },
        }),
    })
    const without = await engines.start([flow])
    expect((await without.execute('f')).status).toBe('suspended')
    expect(runs).toEqual([])
    const process = await engines.start([flow], { linkTo })
    expect((await process.executeFailing('f')).error).toMatchObject({ message: 'no mail', stepId: 'ask' })
  })

  it('a link resumes the suspension that it was made for, and no later one', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }, suspending('one')),
      createWorkflow({
        id: 'both',
        run: async ({ step }) => Promise.all([step.suspend('a'), step.suspend('b')]),
      }),
    ])
    const { executions } = process.engine
    const { executionId } = await process.execute('w')
    const linked = await executions.linked(await executions.find({ executionId }))
    expect(linked).toMatchObject({ executionId, path: 'one', resumes: 0 })
    if (!linked) return
    expect(await executions.findLinked(linked, CODE_DECIDES)).toMatchObject({
      reason: 'one asks',
      data: { asked: 'one' },
      schema: undefined,
    })
    await expect(executions.resumeLinked({ ...linked, resumes: 1 }, 'x', CODE_DECIDES)).rejects.toMatchObject(
      {
        code: 'not_resumable',
      },
    )
    await executions.resumeLinked(linked, 'yes', CODE_DECIDES)
    await expect.poll(() => process.status(executionId)).toBe('completed')
    expect(await executions.findLinked(linked, CODE_DECIDES)).toBeUndefined()
    await expect(executions.resumeLinked(linked, 'yes', CODE_DECIDES)).rejects.toThrow('not suspended')
    const both = await process.execute('both')
    const ofB = { executionId: both.executionId, path: 'b', resumes: 0, expiresAt: 0 }
    await executions.resumeLinked(ofB, 'of b', CODE_DECIDES)
    await expect.poll(async () => (await process.step(both.executionId, 'b'))?.output).toBe('of b')
    await expect.poll(() => process.status(both.executionId)).toBe('suspended')
    expect((await process.resume(both.executionId, 'of a')).result).toEqual(['of a', 'of b'])
  })
}
