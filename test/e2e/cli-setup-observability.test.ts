import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'dotenv'
import { execa } from 'execa'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CliProject } from '../support/project/cli-project.ts'

const BIN = fileURLToPath(new URL('../../bin/agentserver.js', import.meta.url))
const HAS_SCRIPT = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0
const KEYS = ['--public-key', 'pk-1', '--secret-key', 'sk-1']

let project: CliProject
beforeEach(() => {
  project = new CliProject()
})
afterEach(() => project.end())

test('setup-observability saves the credentials without a server', async () => {
  project.write({ '.env': '# mine\r\nA=1\r\n' })
  const { exitCode, value } = await project.json([
    'setup-observability',
    ...KEYS,
    '--endpoint',
    'http://otel:4318',
  ])
  expect(exitCode).toBe(0)
  expect(value).toEqual({
    envFile: '.env',
    keys: ['SERVICE_PUBLIC_KEY', 'SERVICE_SECRET_KEY', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
    restartRequired: false,
  })
  expect(project.read('.env')).toBe(
    '# mine\r\nA=1\r\nSERVICE_PUBLIC_KEY=pk-1\r\nSERVICE_SECRET_KEY=sk-1\r\nOTEL_EXPORTER_OTLP_ENDPOINT=http://otel:4318\r\n',
  )
})

test('setup-observability lists missing options outside a terminal', async () => {
  const both = await project.run(['setup-observability'])
  expect(both.stderr).toContain('Missing options: --public-key and --secret-key')
  const one = await project.run(['setup-observability', '--public-key', 'pk-1'])
  expect(one.stderr).toContain('Missing options: --secret-key')
  expect([both.exitCode, one.exitCode]).toEqual([2, 2])
  expect(fs.existsSync(project.path('.env'))).toBe(false)
})

test('setup-observability rejects an unsafe value without printing it', async () => {
  const { exitCode, stdout, stderr } = await project.run([
    'setup-observability',
    ...KEYS,
    '--secret-key',
    'hunter2\nEVIL=1',
  ])
  expect(stderr).toContain('secretKey: Must be')
  expect(stdout + stderr).not.toContain('hunter2')
  expect(exitCode).toBe(2)
  expect(fs.existsSync(project.path('.env'))).toBe(false)
})

test('setup-observability saves the credentials on a running server', async () => {
  const server = await project.serve('dev')
  const { exitCode, stdout } = await project.run(['setup-observability', ...KEYS, '--url', server.url])
  expect(stdout).toBe('✓ Saved SERVICE_PUBLIC_KEY, SERVICE_SECRET_KEY to .env')
  expect(exitCode).toBe(0)
  expect(parse(project.read('.env'))).toEqual({ SERVICE_PUBLIC_KEY: 'pk-1', SERVICE_SECRET_KEY: 'sk-1' })
})

test.runIf(HAS_SCRIPT)('setup-observability prompts in a terminal and hides the secret', async () => {
  const command = `${process.execPath} ${BIN} setup-observability --no-color`
  const terminal = execa('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: project.root,
    reject: false,
  })
  let screen = ''
  terminal.stdout.on('data', (chunk: Buffer) => {
    screen += chunk.toString()
    if (answers.length > 0 && screen.includes(answers[0]?.question ?? ''))
      terminal.stdin.write(answers.shift()?.answer)
  })
  const answers = [
    { question: 'Public key: ', answer: 'pk-typed\r' },
    { question: 'Secret key (hidden): ', answer: 'sk-typed\r' },
    { question: 'Endpoint (empty for none): ', answer: '\r' },
  ]
  const { exitCode } = await terminal
  expect(screen).toContain('pk-typed')
  expect(screen).not.toContain('sk-typed')
  expect(screen).toContain('Saved SERVICE_PUBLIC_KEY, SERVICE_SECRET_KEY to .env')
  expect(exitCode).toBe(0)
  expect(parse(project.read('.env'))).toEqual({
    SERVICE_PUBLIC_KEY: 'pk-typed',
    SERVICE_SECRET_KEY: 'sk-typed',
  })
})
