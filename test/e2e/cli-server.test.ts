import { describe, expect, it } from 'vitest'
import { CliProject } from '../support/project/cli-project.ts'

describe('commands beside a running server', () => {
  it('suspend and cancel executions of the server', async () => {
    const project = new CliProject()
    try {
      await project.serve('dev')
      const suspended = project.launch(['run-workflow', 'slow', '--execution-id', 'suspended-run'])
      await project.noted('second')
      const reason = ['--reason', 'stock is counted', '--json']
      const suspending = project.launch(['suspend-workflow', 'slow', 'suspended-run', ...reason])
      const doomed = project.launch(['run-workflow', 'slow', '--execution-id', 'doomed'])
      await project.noted('second', 2)
      const { value } = await project.json(['cancel-workflow', 'slow', 'doomed'])
      expect(value.status).toBe('cancelled')
      expect(await doomed).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('slow was cancelled'),
      })
      project.openGate()
      const { exitCode, stdout } = await suspending
      expect({ exitCode, value: JSON.parse(stdout) as unknown }).toMatchObject({
        exitCode: 0,
        value: { status: 'suspended', suspension: { reason: 'stock is counted' } },
      })
      expect(await suspended).toMatchObject({
        exitCode: 3,
        stderr: expect.stringContaining('third: stock is counted'),
      })
    } finally {
      await project.end()
    }
  })

  it('find the server from a subdirectory, its start directory and by --url', async () => {
    const project = new CliProject()
    const elsewhere = new CliProject()
    try {
      elsewhere.delete('agentserver.config.ts')
      const server = await project.serve('dev', {
        args: ['--port', '0', '--config', project.root],
        cwd: elsewhere.root,
      })
      await project.json(['run-workflow', 'order', '--input', '{"orderId":"A-1"}', '--execution-id', 'one'])
      const places = [{ cwd: project.path('src') }, { cwd: elsewhere.root }, { cwd: elsewhere.path('src') }]
      for (const place of places) expect((await project.json(['state', 'one'], place)).exitCode).toBe(0)
      const byUrl = await project.json(['state', 'one', '--url', server.url], { cwd: '/' })
      expect(byUrl.value.executionId).toBe('one')
      await server.kill('SIGTERM')
      const gone = await project.run(['list'], { cwd: elsewhere.root })
      expect(gone).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/agentserver\.js init`/) })
    } finally {
      await project.end()
      await elsewhere.end()
    }
  })
})
