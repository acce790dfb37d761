import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CliProject } from '../support/project/cli-project.ts'

const CONFIG = `
  import { createAgent, createWorkflow, defineConfig, demoModel } from 'agentserver'
  import { z } from 'zod'
  const order = createWorkflow({ id: 'order', inputSchema: z.object({ amount: z.number(), apiKey: z.string() }) })
    .andThen({ id: 'approve', execute: ({ data, resumeData, suspend }) =>
      resumeData ? { amount: data.amount, approved: resumeData } : suspend('approve') })
    .andThen({ id: 'ship', execute: ({ data, resumeData, suspend }) =>
      resumeData ? { ...data, shipped: resumeData, at: new Date().toISOString() } : suspend('ship') })
  const bad = createWorkflow({ id: 'bad' }).andThen({ id: 'fail', execute: (): number => {
    throw new RangeError('no')
  } })
  const gone = createWorkflow({ id: 'gone' }).andThen({ id: 'one', execute: () => 1 })
  const helper = createAgent({ id: 'helper', name: 'Helper', instructions: 'Help', model: demoModel() })
  export default defineConfig({ workflows: [order, bad, gone], agents: [helper] })
`
const BIN = fileURLToPath(new URL('../../bin/agentserver.js', import.meta.url))
const HAS_SCRIPT = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0
const SECRET = 'sk-proj-abcdefghijk1234567890'

interface CaseContent {
  readonly input: unknown
  readonly expected?: unknown
  readonly note?: string
  readonly resume?: readonly unknown[]
}

describe('keep-case', () => {
  const project = new CliProject({ 'agentserver.config.ts': CONFIG })
  let order = ''
  let failed = ''
  const read = (file: string) => JSON.parse(project.read(file)) as CaseContent
  beforeAll(async () => {
    const input = JSON.stringify({ amount: 5, apiKey: SECRET })
    const started = await project.json(['run-workflow', 'order', '--input', input])
    order = (started.value as { executionId: string }).executionId
    await project.run(['resume-workflow', 'order', order, '--data', '{"by":"ada"}'])
    await project.run(['resume-workflow', 'order', order, '--data', '"dhl"'])
    failed = ((await project.json(['run-workflow', 'bad'])).value as { executionId: string }).executionId
  })
  afterAll(() => project.end())

  it('prints the case without a terminal, and writes it with --yes; then eval passes at once', async () => {
    const file = `cases/order/${order}.json`
    const asked = await project.run(['keep-case', order])
    expect(asked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Pass --yes to write it') })
    expect(fs.existsSync(project.path('cases'))).toBe(false)
    const written = await project.run(['keep-case', order, '--yes', '--note', 'Needs two approvals'])
    expect(written.exitCode).toBe(0)
    expect(written.stderr).toContain(`✓ Wrote ${file}`)
    expect(project.read(file)).toBe(`${written.stdout}\n`)
    expect(read(file)).toMatchObject({
      input: { amount: 5, apiKey: '[redacted]' },
      resume: [{ by: 'ada' }, 'dhl'],
      expected: { amount: 5, shipped: 'dhl' },
      rules: { '/at': { ignore: true } },
      note: 'Needs two approvals',
    })
    const { stdout, exitCode } = await project.run(['eval'])
    expect(stdout).toContain('cases  1.00 of at least 1')
    expect(exitCode).toBe(0)
  })

  it.runIf(HAS_SCRIPT)('asks in a terminal', async () => {
    const answered = async (answer: string) => {
      const command = `${process.execPath} ${BIN} keep-case ${order} --id asked`
      const options = { cwd: project.root, reject: false } as const
      const terminal = execa('script', ['--quiet', '--return', '--command', command, '/dev/null'], options)
      let screen = ''
      terminal.stdout.on('data', (chunk: Buffer) => {
        const before = screen.includes('(y/N)')
        screen += chunk.toString()
        if (!before && screen.includes('(y/N)')) terminal.stdin.write(`${answer}\n`)
      })
      await terminal
      return screen
    }
    expect(await answered('n')).toContain('Nothing was written.')
    expect(fs.existsSync(project.path('cases/order/asked.json'))).toBe(false)
    const screen = await answered('y')
    expect(screen).toContain('"workflow": "order"')
    expect(read('cases/order/asked.json').resume).toEqual([{ by: 'ada' }, 'dhl'])
    project.delete('cases/order/asked.json')
  })

  it('overwrites a file only with --force, and writes none with --dry-run', async () => {
    const target = ['--name', 'orders', '--id', 'large']
    const dry = await project.run(['keep-case', order, ...target, '--dry-run'])
    expect(JSON.parse(dry.stdout)).toMatchObject({ target: { workflow: 'order' } })
    expect(fs.existsSync(project.path('cases/orders'))).toBe(false)
    await project.run(['keep-case', order, ...target, '--yes', '--no-expected'])
    expect(read('cases/orders/large.json')).not.toHaveProperty('expected')
    const again = await project.run(['keep-case', order, ...target, '--yes'])
    expect(again).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('cases/orders/large.json exists'),
    })
    expect(read('cases/orders/large.json')).not.toHaveProperty('expected')
    await project.run(['keep-case', order, ...target, '--yes', '--force'])
    expect(read('cases/orders/large.json').expected).toMatchObject({ amount: 5 })
    const outside = await project.run(['keep-case', order, '--name', '../x', '--yes'])
    expect(outside).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('cases/<name>/<id>.json') })
  })

  it('keeps a failed run with the output that is right, and names what can not be kept', async () => {
    const dry = await project.run(['keep-case', failed, '--dry-run'])
    expect(JSON.parse(dry.stdout)).not.toHaveProperty('expected')
    expect(dry.stderr).toContain('The run failed: it has no output to expect')
    const kept = await project.json(['keep-case', failed, '--yes', '--expected', '{"ok":true}'])
    expect(kept.value).toMatchObject({ written: true, case: { expected: { ok: true } } })
    const unknown = await project.run(['keep-case', 'unknown'])
    expect(unknown).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('No execution or agent run'),
    })
    const { value } = await project.json(['run-workflow', 'gone'])
    project.write({ 'agentserver.config.ts': CONFIG.replace('[order, bad, gone]', '[order, bad]') })
    const gone = await project.run(['keep-case', (value as { executionId: string }).executionId])
    expect(gone).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('The workflow "gone" is not in'),
    })
    project.delete('cases/bad')
  })

  it('keeps a run of a running server, without the secrets of its input', async () => {
    const server = await project.serve('dev')
    const response = await fetch(new URL('/agents/helper/text', server.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input: `Is ${SECRET} my key?` }),
    })
    const { data } = (await response.json()) as { data: { id: string } }
    await project.run(['keep-case', data.id, '--yes'])
    const file = `cases/helper/${data.id}.json`
    expect(project.read(file)).not.toContain(SECRET)
    expect(read(file).input).toBe('Is [redacted] my key?')
    await server.kill('SIGTERM')
    expect((await project.run(['eval', 'cases/helper/*.json'])).exitCode).toBe(0)
  })
})
