import { afterAll, describe, expect, it } from 'vitest'
import { CliProject } from '../support/project/cli-project.ts'

const project = new CliProject({
  'agentserver.config.ts': `
    import { createWorkflow, defineConfig } from 'agentserver'
    const team = createWorkflow({
      id: 'team',
      run: ({ step }) => Promise.all(['left', 'right'].map((side) =>
        step.run(side, ({ step }) => step.suspend('sign', { reason: side + ' must sign' })))),
    })
    export default defineConfig({ workflows: [team] })
  `,
})
afterAll(() => project.end())

describe('the commands for a function', () => {
  it('list what several calls wait for, and resume one by its path', async () => {
    const { exitCode, stderr } = await project.run(['run-workflow', 'team'])
    expect(exitCode).toBe(3)
    expect(stderr).toMatch(/left\/sign: left must sign\n +right\/sign: right must sign\n.* --step left\/sign/)
    const executionId = /execution ([\w-]+)/.exec(stderr)?.[1] ?? ''
    const resume = ['resume-workflow', 'team', executionId]
    const { stdout } = await project.run(['state', executionId])
    expect(stdout).toMatch(/waits +left\/sign: left must sign\n +right\/sign: right must sign\n/)
    expect(stdout).toContain(`${resume.join(' ')} --step left/sign`)
    const right = await project.json([...resume, '--step', 'right/sign', '--data', '"R"'])
    expect(right).toMatchObject({ exitCode: 3, value: { status: 'suspended' } })
    expect((await project.run(['state', executionId])).stdout).not.toMatch(/^waits/m)
    const left = await project.json([...resume, '--data', '"L"'])
    expect(left).toMatchObject({ exitCode: 0, value: { result: ['L', 'R'] } })
  })
})
