import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CliProject } from '../support/project/cli-project.ts'

const config = (charge: string, extra = '') => ({
  'agentserver.config.ts': `
    import { andThen, createWorkflow, defineConfig } from 'agentserver'
    const order = createWorkflow({
      id: 'order',
      run: async ({ step, logger }) => {
        logger.info('top')
        await step.run('${charge}', () => 'c1')
        ${extra}
        return step.suspend('ask')
      },
    })
    const chain = createWorkflow({ id: 'chain' },
      andThen({ id: '${charge}', execute: () => 1 }),
      andThen({ id: 'ask', execute: ({ suspend }) => suspend('ok?') }))
    export default defineConfig({ workflows: [order, chain] })
  `,
})

describe('check', () => {
  const project = new CliProject(config('charge'))
  beforeAll(async () => {
    for (const id of ['order', 'order', 'chain']) await project.run(['run-workflow', id])
  })
  beforeEach(() => project.write(config('charge')))
  afterAll(() => project.end())

  it('says that open executions fit the code, with and without a server', async () => {
    const ended = await project.run(['check'])
    expect(ended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('✓ order: 2 fit') })
    const server = await project.serve('dev')
    expect((await project.json(['check', '--workflow', 'chain'])).value).toEqual({
      workflows: [{ id: 'chain', fits: 1, misfits: 0, examples: [] }],
      schedules: { fits: 0, misfits: 0 },
    })
    await server.kill('SIGTERM')
  })

  it('names what does not fit, once for each reason, and ends with 1', async () => {
    project.write(config('pay'))
    const { exitCode, value } = await project.json(['check'])
    expect(exitCode).toBe(1)
    expect(value).toMatchObject({
      workflows: [
        { id: 'chain', fits: 0, misfits: 1, examples: [{ stepId: 'charge' }, { stepId: 'pay' }] },
        {
          id: 'order',
          fits: 0,
          misfits: 2,
          examples: [{ stepId: 'charge', reason: expect.stringContaining('the function calls "pay"') }],
        },
      ],
    })
    const text = await project.run(['check', '--workflow', 'order', '--limit', '1'])
    expect(text.stdout).toContain('✗ order: 0 fit, 1 do not')
  })

  it('begins no call, so that a new one behind what is recorded fits', async () => {
    project.write(config('charge', `await step.run('new', () => { throw new Error('it ran') })`))
    expect(await project.run(['check'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('order: 2 fit'),
    })
  })

  it('leaves out executions whose changes were accepted, which resume-workflow --accept-changes does', async () => {
    const { value: started } = await project.json(['run-workflow', 'order'])
    const { executionId } = started as { executionId: string }
    project.write(config('pay'))
    const refused = await project.run(['resume-workflow', 'order', executionId, '--data', '"yes"'])
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`resume-workflow order ${executionId} --accept-changes`),
    })
    const state = await project.run(['state', executionId])
    expect(state.stdout).toMatch(/misfits\s+step "charge": it is recorded/)
    expect(state.stdout).toContain('--accept-changes')
    const accepted = await project.json(['resume-workflow', 'order', executionId, '--accept-changes'])
    expect(accepted).toMatchObject({ exitCode: 0, value: { status: 'completed', result: 'yes' } })
    expect((await project.run(['state', executionId])).stdout).toMatch(/changes\s+accepted at .* over cli/)
  })

  it('is what start logs in one line, and dev for each workflow whose suspended executions no longer fit', async () => {
    await project.run(['run-workflow', 'order'])
    const dev = await project.serve('dev')
    project.write(config('pay'))
    await dev.waitForOutput(/suspended executions of order no longer fit: step "charge": it is recorded/)
    await dev.waitForOutput(/1 suspended execution of chain no longer fits: step "charge"/)
    await dev.kill('SIGTERM')
    const start = await project.serve('start')
    const fits = /Open executions: 0 fit the code, \d+ do not \(chain: 1, order: \d+\): run agentserver check/
    await start.waitForOutput(fits)
    expect(start.stderr).not.toMatch(/fit the code[^]*fit the code/)
    await start.kill('SIGTERM')
  })

  it('and prove end with 2 for an unknown workflow, with the ids that are like it', async () => {
    project.write({ 'case.json': '{"target":{"workflow":"order"},"input":{}}' })
    for (const args of [
      ['check', '--workflow', 'ordr'],
      ['prove', 'ordr', '--case', 'case.json'],
    ])
      expect(await project.run(args)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringMatching(/Workflow not found: ordr\s+Did you mean "order"\?/),
      })
    expect(await project.run(['prove', 'order', '--case', 'none.json'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('cannot read none.json (ENOENT)'),
    })
  })
})
