// Checks the built server's API description with Redocly and Spectral: `node lint.js <node_modules that has them>`.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { jwtAuth } from '../../../dist/index.js'
import { createServer } from '../../../dist/server/index.js'

const [, , tools] = process.argv
if (tools === undefined)
  throw new Error('Pass the node_modules folder that has @redocly/cli and @stoplight/spectral-cli')

process.env.SERVICE_CONSOLE_ACCESS_KEY = 'a console key for the description'
const own = (app) => {
  app.get('/hello/:name', (c) => c.text('hello'))
  app.get('/hello-name', (c) => c.text('hello'))
  app.post('/items/:item-id{[0-9]{4}}', (c) => c.text('item'))
  app.all('/files/*', (c) => c.text('file'))
}
const authNext = { provider: jwtAuth({ secret: 'a signing secret of more than thirty-two bytes' }) }

/** The configurations that change the description: access rules and custom routes. */
const CONFIGS = {
  open: [{}, { production: false }],
  development: [{ authNext, configureApp: own }, { production: false }],
  production: [
    { authNext, configureApp: own, webSockets: { '/live': () => undefined } },
    { production: true },
  ],
}

const folder = mkdtempSync(path.join(tmpdir(), 'agentserver-description-'))
const files = []
for (const [name, [config, options]] of Object.entries(CONFIGS)) {
  const server = createServer({ database: ':memory:', ...config }, options)
  const headers = { 'x-console-access-key': process.env.SERVICE_CONSOLE_ACCESS_KEY }
  const response = await server.fetch(new Request('http://localhost/doc', { headers }))
  files.push(path.join(folder, `${name}.json`))
  writeFileSync(files.at(-1), await response.text())
  await server.close()
}

const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
const run = (command, ...args) =>
  spawnSync(path.join(tools, '.bin', command), [...args, ...files], { stdio: 'inherit', env }).status
const ruleset = fileURLToPath(new URL('spectral.yaml', import.meta.url))
const statuses = [
  // /evals/{id}/runs and /evals/runs/{runId} have one address in common, and no eval has the id "runs"
  run(
    'redocly',
    'lint',
    '--extends=recommended-strict',
    '--skip-rule=no-ambiguous-paths',
    '--format=stylish',
  ),
  run('spectral', 'lint', '--ruleset', ruleset, '--display-only-failures'),
]
rmSync(folder, { recursive: true })
process.exitCode = statuses.every((status) => status === 0) ? 0 : 1
