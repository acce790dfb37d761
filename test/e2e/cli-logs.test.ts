import { describe, expect, it } from 'vitest'
import type { LogRecord } from '../../src/contract/endpoints/log.ts'
import { CliProject } from '../support/project/cli-project.ts'
import { until } from '../support/until.ts'

const FILES = {
  'agentserver.config.ts': `
    import { createWorkflow, defineConfig } from 'agentserver'
    const talk = createWorkflow({ id: 'talk' }).andThen({
      id: 'say',
      execute: ({ logger, data }) => {
        const { times = 1, text = 'hello \\u001b[2J' } = data
        for (let n = 0; n < times; n++) logger.warn({ n, apiKey: 'abc' }, text)
        return {}
      },
    })
    export default defineConfig({ workflows: [talk] })
  `,
}

describe('logs', () => {
  const talk = (project: CliProject, input: object) =>
    project.run(['run-workflow', 'talk', '--input', JSON.stringify(input)])

  it('prints log records with and without a server', async () => {
    const project = new CliProject(FILES)
    try {
      const server = await project.serve('dev')
      await talk(project, {})
      const shown = await project.run(['logs', '--level', 'warn'])
      expect(shown.exitCode).toBe(0)
      expect(shown.stdout).toMatch(/^\d\d:\d\d:\d\d warn hello \\x1b\[2J executionId="\S+" workflowId="talk"/)
      expect(shown.stdout).toContain('apiKey="[redacted]"')
      await server.kill('SIGTERM')
      const { value } = await project.json(['logs', '--search', 'hello'])
      expect(value).toMatchObject([{ message: 'hello \u001b[2J', attributes: { stepId: 'say', n: 0 } }])
      await talk(project, { text: 'wide \u009b2J \u202efdp' })
      for (const { stdout } of [
        await project.run(['logs', '--search', 'wide', '--json']),
        await project.run([
          'run-workflow',
          'talk',
          '--input',
          JSON.stringify({ text: 'wide \u009b2J' }),
          '--json',
        ]),
      ])
        expect(stdout).not.toMatch(/[\u0080-\u009f\u202e]/)
      expect((await project.json(['logs', '--level', 'error'])).value).toEqual([])
      expect((await project.json(['logs', '--execution', 'nobody'])).value).toEqual([])
      expect((await project.json(['logs', '--since', '1h', '--until', '1m'])).value).toEqual([])
    } finally {
      await project.end()
    }
  })

  it.each([
    [['--level', 'loud'], 'trace, debug, info, warn, error, fatal'],
    [['--since', 'never'], '--since 10m'],
    [['--limit', '5000'], 'limit: Must be a whole number from 1 to 1000'],
  ])('refuses %j and says what there is', async (args, hint) => {
    const project = new CliProject(FILES)
    try {
      const refused = await project.run(['logs', ...args])
      expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(hint) })
    } finally {
      await project.end()
    }
  })

  it('prints the newest 20 records before following', async () => {
    const project = new CliProject(FILES)
    try {
      await talk(project, { times: 30 })
      const following = project.spawn(['logs', '-f', '--json', '--level', 'warn'])
      let text = ''
      following.stdout?.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      await until(() => text.includes('"n":29'))
      following.kill('SIGINT')
      await following
      const numbers = text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as LogRecord).attributes['n'])
      expect(numbers).toEqual(Array.from({ length: 20 }, (_, n) => n + 10))
    } finally {
      await project.end()
    }
  })

  it('follows the log across a server restart, without lost or repeated records', async () => {
    const project = new CliProject(FILES)
    try {
      const server = await project.serve('dev')
      const following = project.spawn(['logs', '-f', '--json', '--level', 'warn', '--search', 'line'])
      let text = ''
      following.stdout?.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      const arrived = (count: number) => until(() => text.split('\n').length > count)
      await talk(project, { text: 'opening line' })
      await arrived(1)
      await talk(project, { times: 1500, text: 'first line' })
      await arrived(1501)
      await server.kill('SIGKILL')
      await project.serve('dev')
      await talk(project, { times: 3, text: 'second line' })
      await arrived(1504)
      following.kill('SIGINT')
      expect((await following).exitCode).toBe(130)
      const records = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as LogRecord)
      const seen = records.map(({ message, attributes }) => `${message} ${String(attributes['n'])}`)
      const line = (what: string) => (_: unknown, n: number) => `${what} line ${n}`
      expect(seen).toEqual([
        'opening line 0',
        ...Array.from({ length: 1500 }, line('first')),
        ...Array.from({ length: 3 }, line('second')),
      ])
    } finally {
      await project.end()
    }
  })

  it('accepts a level by option or variable, and lists the levels for an unknown one', async () => {
    const project = new CliProject(FILES)
    try {
      const refused = await project.run(['dev', '--log-level', 'loud'])
      expect(refused).toMatchObject({
        exitCode: 2,
        stderr: expect.stringMatching(/debug, info, warn.*silent/),
      })
      const server = await project.serve('dev', { env: { LOG_LEVEL: 'error' } })
      await talk(project, {})
      expect((await project.json(['logs'])).value).toEqual([])
      await server.kill('SIGTERM')
    } finally {
      await project.end()
    }
  })
})
