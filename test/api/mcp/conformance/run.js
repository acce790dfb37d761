// Runs the protocol's conformance suite against the built server: `npm run conformance`, on Node 22 or newer.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const SUITE = '@modelcontextprotocol/conformance@0.1.16'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

if (Number(process.versions.node.split('.')[0]) < 22) {
  console.error(`The conformance suite needs Node 22 or newer; this is ${process.version}`)
  process.exit(2)
}

const server = spawn(
  process.execPath,
  [here('../../../../bin/agentserver.js'), 'dev', '--config', here('.'), '--port', '0', '--no-color'],
  { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NODE_ENV: 'development' } },
)
let output = ''
const url = await new Promise((resolve, reject) => {
  const read = (chunk) => {
    output += chunk
    const found = /https?:\/\/[\w.:]+/.exec(output)
    if (found) resolve(found[0])
  }
  server.stdout.on('data', read)
  server.stderr.on('data', read)
  server.once('exit', () => reject(new Error(`The server did not start:\n${output}`)))
})

const run = ['--yes', '--package', SUITE, 'conformance', 'server', '--suite', 'all']
const against = ['--url', `${url}/mcp/conformance`, '--expected-failures', here('expected-failures.yml')]
const suite = spawn('npx', [...run, ...against], { stdio: 'inherit' })
const [code] = await once(suite, 'exit')
server.kill()
await once(server, 'exit')
process.exitCode = code ?? 1
