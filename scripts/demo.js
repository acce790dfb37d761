// `npm run demo`: builds, serves templates/basic with the demo model, and starts two orders, of which one waits for approval.
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const project = `${root}templates/basic`
const serverFile = `${project}/.agentserver/server.json`
const command = [`${root}bin/agentserver.js`]
const say = (text) => process.stderr.write(`${text}\n`)

say('Building agentserver: server, types, API explorer, console. This takes about a minute.')
// npm is a script on Windows
const built = spawnSync('npm', ['run', '--silent', 'build'], {
  cwd: root,
  stdio: 'inherit',
  shell: process.platform === 'win32',
})
if (built.status !== 0) process.exit(built.status ?? 1)

const open = process.stdout.isTTY && process.stdin.isTTY ? ['--open'] : []
const options = ['--config', project, ...open, ...process.argv.slice(2)]
const server = spawn(process.execPath, [...command, 'dev', ...options], { cwd: root, stdio: 'inherit' })
// a terminal sends Ctrl-C to both: this process ends when the server has
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => server.kill('SIGTERM'))
server.on('exit', (code) => process.exit(code ?? 1))

const waiting = setInterval(() => {
  if (runningServer() !== server.pid) return
  clearInterval(waiting)
  for (const item of ['mug', 'desk']) order(item)
}, 200)

function runningServer() {
  try {
    return JSON.parse(fs.readFileSync(serverFile, 'utf8')).pid
  } catch {
    // not written yet
    return undefined
  }
}

function order(sku) {
  const input = { orderId: `demo-${sku}`, email: 'ada@example.com', items: [{ sku, quantity: 1 }] }
  const args = ['run-workflow', 'order', '--config', project, '--input', JSON.stringify(input)]
  spawn(process.execPath, [...command, ...args], { cwd: root, stdio: 'ignore' })
}
