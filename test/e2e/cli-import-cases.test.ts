import fs from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { CliProject } from '../support/project/cli-project.ts'

const CONFIG = `
  import { createWorkflow, defineConfig } from 'agentserver'
  import { z } from 'zod'
  const double = createWorkflow({ id: 'double', inputSchema: z.object({ n: z.number() }) })
    .andThen({ id: 'double', execute: ({ data }) => ({ n: data.n * 2 }) })
  export default defineConfig({ workflows: [double] })
`
const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, n) => `workflow:double,"{""n"":${n}}","{""n"":${n * 2}}",row ${n}`)

describe('import-cases', () => {
  const project = new CliProject({
    'agentserver.config.ts': CONFIG,
    'doubles.csv': ['target,input,expected,note', ...rowsOf(10)].join('\r\n'),
    'more.csv': ['target,input,expected,note', ...rowsOf(10_000)].join('\n'),
    'broken.csv': ['target,input,expected,note', ...rowsOf(10), 'workflow:double,five,,'].join('\n'),
  })
  afterAll(() => project.end())

  it('imports the rows as cases that eval runs, and does not overwrite them', async () => {
    const imported = await project.run(['import-cases', 'doubles.csv'])
    expect(imported.stdout).toBe('✓ 10 cases imported to cases/doubles\n  workflow double: 10')
    const { stdout, exitCode } = await project.run(['eval'])
    expect(stdout).toContain('cases  1.00 of at least 1')
    expect(exitCode).toBe(0)
    const again = await project.run(['import-cases', 'doubles.csv'])
    expect(again).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('10 of 10 files exist') })
    expect((await project.run(['import-cases', 'doubles.csv', '--force'])).exitCode).toBe(0)
  })

  it('imports nothing when a row is broken, and names its line', async () => {
    const { exitCode, stderr } = await project.run(['import-cases', 'broken.csv'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('broken.csv: line 12: input: the workflow "double" requires a JSON object')
    expect(stderr).toContain('Nothing was imported.')
    expect(fs.readdirSync(project.path('cases'))).toEqual(['doubles'])
  })

  it('imports 10,000 rows, into the folder of --name', async () => {
    const dry = await project.json(['import-cases', 'more.csv', '--dry-run'])
    expect(dry.value).toMatchObject({ cases: 10_000, written: false, targets: { 'workflow double': 10_000 } })
    expect((await project.run(['import-cases', 'more.csv', '--name', 'many'])).exitCode).toBe(0)
    expect(fs.readdirSync(project.path('cases/many'))).toHaveLength(10_000)
    project.delete('cases/many')
  })
})
