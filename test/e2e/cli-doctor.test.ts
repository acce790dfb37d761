import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Check } from '../../src/cli/doctor/check.ts'
import { CliProject } from '../support/project/cli-project.ts'

const AGENTS = `
  import { createAgent, defineConfig } from 'agentserver'
  console.log('the config says hello')
  export default defineConfig({ port: 0, agents: [createAgent({ id: 'a', name: 'A', instructions: 'Help' })] })
`

let project: CliProject
beforeEach(() => {
  project = new CliProject({ 'agentserver.config.ts': AGENTS })
})
afterEach(() => project.end())

interface Diagnosis {
  readonly exitCode: number | undefined
  readonly ok: boolean
  readonly checks: readonly Check[]
}

const WITH_KEY = { OPENAI_API_KEY: 'sk-hunter2-long-enough', AGENTSERVER_MODEL: '' }
const NO_MODEL = {
  AGENTSERVER_MODEL: '',
  OPENAI_API_KEY: '',
  ANTHROPIC_API_KEY: '',
  GOOGLE_GENERATIVE_AI_API_KEY: '',
  OLLAMA_HOST: '',
}

async function diagnose(env: Readonly<Record<string, string>> = {}): Promise<Diagnosis> {
  const { exitCode, value } = await project.json(['doctor'], { env: { ...NO_MODEL, ...env } })
  return { exitCode, ...value }
}

function about(id: string, { checks }: Diagnosis): string[] {
  return checks.filter((check) => check.id === id).map(({ status, message }) => `${status}: ${message}`)
}

test('doctor reports no problems for a valid project', async () => {
  project.write({ '.env': 'GREETING=hunter2\n' })
  fs.chmodSync(project.path('.env'), 0o600)
  const { exitCode, stdout } = await project.run(['doctor'], { env: WITH_KEY })
  const lines = stdout.split('\n')
  expect(lines.filter((line) => !line.startsWith('✓'))).toEqual([])
  expect(stdout).toContain(`Node ${process.versions.node}`)
  expect(stdout).toContain('agentserver.config.ts is valid: 0 workflows, 1 agent, 0 tools')
  expect(stdout).toContain('.env (1 variables)')
  expect(stdout).toContain('openai/gpt-4.1-mini (OPENAI_API_KEY)')
  expect(stdout).toContain('.agentserver/data.db will be created at the first start')
  expect(stdout).toMatch(/agentserver \d.*ai \d.*zod \d/)
  expect(stdout).not.toContain('hunter2')
  expect(exitCode).toBe(0)
  expect(fs.existsSync(project.path('.agentserver'))).toBe(false)
})

test('doctor prints the position of a config error', async () => {
  project.write({ 'agentserver.config.ts': 'import x from "./src/nothing.ts"\nexport default { x }\n' })
  const { exitCode, stdout } = await project.run(['doctor'])
  expect(stdout).toMatch(/✗ config +agentserver\.config\.ts failed to load/)
  expect(stdout).toContain('agentserver.config.ts:1:')
  expect(stdout).toContain('> 1 |')
  expect(exitCode).toBe(2)
})

test('doctor suggests init without a config', async () => {
  project.delete('agentserver.config.ts')
  const { exitCode, stdout } = await project.run(['doctor'])
  expect(stdout).toMatch(/✗ config +No agentserver\.config\.ts found in /)
  expect(stdout).toMatch(/agentserver\.js init`/)
  expect(exitCode).toBe(2)
  const { value } = await project.json(['doctor'])
  expect(value.checks).toContainEqual(
    expect.objectContaining({ id: 'config', advice: expect.stringMatching(/agentserver\.js init`/) }),
  )
})

test('doctor prints warnings without values', async () => {
  project.write({
    '.env': 'GREETING=hunter2\nTEXT="two\nlines"\nhunter2\nLAST=1\n',
    '.env.local': 'SECRET=hunter2\n',
  })
  execFileSync('git', ['init', '--quiet'], { cwd: project.root })
  project.write({ '.gitignore': '.agentserver/\n' })
  const found = await diagnose({ ANTHROPIC_API_KEY: 'your-key-here' })
  expect(about('env', found)).toEqual([
    'warning: .env: invalid syntax on line 4',
    'warning: .env.local is readable by other users (mode 644)',
  ])
  expect(about('model', found)).toEqual([
    'warning: demo (no provider configured)',
    'warning: ANTHROPIC_API_KEY is a placeholder and is ignored',
  ])
  expect(about('git', found)).toEqual(['warning: git does not ignore .env'])
  expect(about('auth', found)).toEqual(['ok: Not configured (fine for local development)'])
  expect(JSON.stringify(found)).not.toMatch(/hunter2|your-key/)
  expect(found).toMatchObject({ exitCode: 0, ok: true })
})

test('doctor in production requires a model and warns of public routes', async () => {
  const found = await diagnose({ NODE_ENV: 'production', HOST: '0.0.0.0' })
  expect(about('model', found)).toEqual([
    expect.stringMatching(/^error: No language model is configured: set one of OPENAI_API_KEY, /),
  ])
  expect(about('auth', found)).toEqual([
    'warning: Not configured: in production all routes are public',
    'warning: Not configured, listening on 0.0.0.0: anyone on the network can run workflows',
  ])
  expect(found).toMatchObject({ exitCode: 2, ok: false })
})

test('doctor detects the running server, and another program on the port', async () => {
  const server = await project.serve('dev')
  const { port } = new URL(server.url)
  const { pid } = JSON.parse(server.stdout) as { pid: number }
  const beside = await diagnose()
  expect(about('port', beside)).toEqual([`ok: The server is running at ${server.url} (pid ${pid})`])
  expect(about('database', beside)).toEqual([
    `ok: .agentserver/data.db is in use by the project's server (pid ${pid})`,
  ])
  fs.rmSync(project.path('.agentserver/server.json'))
  const unknown = await diagnose({ PORT: port })
  expect(about('port', unknown)).toEqual([`error: 127.0.0.1:${port} is in use by another program`])
  expect(about('database', unknown)).toEqual([expect.stringMatching(/^warning: .* in use by process \d+$/)])
})
