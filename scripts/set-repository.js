// `node scripts/set-repository.js owner/name`: writes the repository into what names it. package.json is the source,
// and without an argument all else is made to agree with it.
import fs from 'node:fs'

const root = new URL('../', import.meta.url)
const read = (file) => JSON.parse(fs.readFileSync(new URL(file, root), 'utf8'))
const write = (file, text) => fs.writeFileSync(new URL(file, root), text)

const main = read('package.json')
const current = /github\.com\/(.+?)\.git$/.exec(main.repository.url)?.[1]
const name = process.argv[2] ?? current
if (!/^[\w.-]+\/[\w.-]+$/.test(name ?? '')) {
  process.stderr.write('Usage: node scripts/set-repository.js owner/name\n')
  process.exit(2)
}
const page = `https://github.com/${name}`
const [owner, repositoryName] = name.split('/')

for (const [file, directory] of [['package.json'], ['create/package.json', 'create']]) {
  const manifest = read(file)
  manifest.repository = { type: 'git', url: `git+${page}.git`, ...(directory && { directory }) }
  // the site of the documentation, whose base is this path (site/.vitepress/config.ts)
  manifest.homepage = `https://${owner.toLowerCase()}.github.io/${repositoryName}/`
  manifest.bugs = { url: `${page}/issues` }
  write(file, `${JSON.stringify(manifest, null, 2)}\n`)
}
write('.github/CODEOWNERS', `* @${owner}\n`)
