import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CliProject } from '../support/project/cli-project.ts'

const FILES = {
  'agentserver.config.ts': `
    import { createTool, defineConfig } from 'agentserver'
    import { z } from 'zod'
    const refund = createTool({
      name: 'refund', description: 'Pays money back',
      inputSchema: z.object({ amount: z.number() }),
      needsApproval: ({ amount }) => amount > 10,
      execute: ({ amount }, { userId, context }) => ({ paid: amount, userId, context }),
    })
    const broken = createTool({
      name: 'broken', description: 'Fails', inputSchema: z.object({}),
      execute: () => { throw new RangeError('card declined') },
    })
    export default defineConfig({ tools: [refund, broken] })
  `,
}

describe.each(['in the same process', 'with a running server'])('the tool commands %s', (where) => {
  let project: CliProject

  beforeAll(async () => {
    project = new CliProject(FILES)
    if (where === 'with a running server') await project.serve('dev')
  })
  afterAll(() => project.end())

  it('list the tools', async () => {
    const { exitCode, stdout } = await project.run(['list', 'tools'])
    expect(stdout).toMatch(/^TOOL +FROM +AGENTS +DESCRIPTION\nrefund +config +Pays money back\nbroken/)
    expect(exitCode).toBe(0)
  })

  it('print the result to stdout, and the whole response with --json', async () => {
    const input = ['run-tool', 'refund', '--input', '{"amount":5}']
    const { exitCode, stdout, stderr } = await project.run([
      ...input,
      '--user',
      'ada',
      '--context',
      '{"a":1}',
    ])
    expect(JSON.parse(stdout)).toEqual({ paid: 5, userId: 'ada', context: { a: 1 } })
    expect(stderr).toContain('refund executed')
    expect(exitCode).toBe(0)
    const { value } = await project.json(input)
    expect(value).toMatchObject({ toolName: 'refund', result: { paid: 5 } })
  })

  it('require approval, suggest the closest name, and print an example', async () => {
    const costly = ['run-tool', 'refund', '--input', '{"amount":50}']
    const refused = await project.run(costly)
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' })
    expect(refused.stderr).toContain('--approve')
    expect(await project.run([...costly, '--approve'])).toMatchObject({ exitCode: 0 })
    const unknown = await project.run(['run-tool', 'refunds'])
    expect(unknown).toMatchObject({ exitCode: 2, stdout: '' })
    expect(unknown.stderr).toContain('Did you mean "refund"?')
    const invalid = await project.run(['run-tool', 'refund'])
    expect(invalid).toMatchObject({ exitCode: 2, stdout: '' })
    expect(invalid.stderr).toMatch(/input\.amount: Required[\s\S]*Example: --input '\{"amount":\d+\}'/)
  })

  it('exit with 1 if the tool fails', async () => {
    const { exitCode, stdout, stderr } = await project.run(['run-tool', 'broken'])
    expect(stderr).toContain('Tool "broken" failed')
    expect(stderr.includes('card declined')).toBe(where === 'in the same process')
    expect(stdout).toBe('')
    expect(exitCode).toBe(1)
  })
})
