import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CliProject } from '../support/project/cli-project.ts'
import { OtlpCollector } from '../support/telemetry/otlp-collector.ts'

const FILES = {
  'agentserver.config.ts': `
    import { andThen, createWorkflow, defineConfig } from 'agentserver'
    const flaky = createWorkflow({ id: 'flaky', name: 'Flaky' }).andThen({
      id: 'try', retries: { limit: 1, delayMs: 1 },
      execute: ({ attempt, data }) => { if (attempt === 1) throw new Error('not yet'); return data },
    })
    export default defineConfig({ workflows: [flaky] })
  `,
}

describe.each(['in the same process', 'with a running server'])('trace %s', (where) => {
  let project: CliProject

  beforeAll(async () => {
    project = new CliProject(FILES)
    if (where === 'with a running server') await project.serve('dev')
    await project.run(['run-workflow', 'flaky', '--execution-id', 'one'])
  })
  afterAll(() => project.end())

  it('prints the waterfall of an execution or a trace', async () => {
    const { stdout, exitCode } = await project.run(['trace', 'one'])
    expect(exitCode).toBe(0)
    const [heading = '', ...lines] = stdout.trim().split('\n')
    expect(heading).toMatch(/^trace [0-9a-f]{32} \d+ spans?, /)
    expect(lines.join('\n')).toMatch(/✓ .*invoke_workflow flaky .*━.* ms/)
    expect(lines.join('\n')).toMatch(/✗ .*step try .*━.* not yet/)
    expect(lines.join('\n')).toMatch(/✓ .*step try .*━.* attempt 2/)
    const traceId = heading.split(' ')[1] ?? ''
    expect((await project.run(['trace', traceId])).stdout).toBe(stdout)
  })

  it('prints the trace as JSON with --json', async () => {
    const { value } = await project.json(['trace', 'one'])
    expect(value).toMatchObject({ truncated: false, spans: expect.any(Array) as unknown })
  })

  it.each(['nothing', 'a'.repeat(32), '../x'])('exits with 2 for the unknown id %s', async (id) => {
    const { exitCode, stderr, stdout } = await project.run(['trace', id])
    expect(exitCode).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(`No trace or execution found with id "${id}"`)
  })
})

describe.each(['dev', 'start'] as const)('keys written over HTTP while %s runs', (command) => {
  it('export spans from then on, without a restart', async () => {
    const collector = await OtlpCollector.start()
    const project = new CliProject(FILES)
    const { url } = await project.serve(command)
    const execute = () =>
      fetch(`${url}/workflows/flaky/execute`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"input":{}}',
      })
    await execute()
    await fetch(`${url}/setup-observability`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ publicKey: 'pk', secretKey: 'sk-hunter2', endpoint: collector.url }),
    })
    const status = async () => {
      const { data } = (await (await fetch(`${url}/observability/status`)).json()) as {
        data: { export: Record<string, unknown> }
      }
      return data.export
    }
    await expect.poll(status).toMatchObject({ enabled: true })
    await execute()
    await expect.poll(() => collector.names).toContain('invoke_workflow flaky')
    expect(collector.requests[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('pk:sk-hunter2').toString('base64')}`,
    )
    await expect
      .poll(status)
      .toMatchObject({ endpoint: `${collector.url}/v1/traces`, lastError: null, dropped: 0 })
    await project.end()
    await collector.close()
  })
})
