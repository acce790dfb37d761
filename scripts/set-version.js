// Runs in `npm version`: create-agentserver and the description of the API have the
// version of agentserver, and the templates require it.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'

const root = new URL('../', import.meta.url)
const { version } = JSON.parse(fs.readFileSync(new URL('package.json', root), 'utf8'))
const templates = fs
  .readdirSync(new URL('templates/', root))
  .map((name) => `templates/${name}/package.json`)
  .filter((file) => fs.existsSync(new URL(file, root)))

for (const file of ['create/package.json', 'docs/reference/openapi.json', ...templates]) {
  const place = new URL(file, root)
  const text = fs.readFileSync(place, 'utf8')
  const [key, value] = file.startsWith('templates/') ? ['agentserver', `^${version}`] : ['version', version]
  fs.writeFileSync(place, text.replace(new RegExp(`("${key}": )"[^"]*"`), `$1"${value}"`))
  execFileSync('git', ['add', file], { cwd: root, stdio: 'inherit' })
}
