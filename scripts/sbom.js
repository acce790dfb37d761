// `node scripts/sbom.js [out]`: the software bill of materials of the built package, in CycloneDX: what npm installs with
// it, and the packages that the build has put into dist/, which npm does not know.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (file) => fs.readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
const manifest = (file) => JSON.parse(read(file))

/** The lists that the build writes beside the code. */
const LISTS = ['dist/licenses.md', 'dist/console/licenses.md']

const bundled = LISTS.flatMap((file) => {
  const found = [...read(file).matchAll(/^## (\S+) - (\S+) \((.+)\)$/gm)]
  if (found.length === 0) throw new Error(`${file} lists no package`)
  return found.map(([, name, version, license]) => ({ name, version, license, list: file }))
})
const { name, version, license } = manifest('node_modules/swagger-ui-dist/package.json')
bundled.push({ name, version, license, list: 'dist/ui/LICENSE' })

const command = ['sbom', '--omit', 'dev', '--sbom-format', 'cyclonedx', '--sbom-type', 'library']
const bom = JSON.parse(execFileSync('npm', command, { cwd: root, encoding: 'utf8' }))
const { component } = bom.metadata
// npm takes the name of the folder
component.name = manifest('package.json').name

const known = new Set(bom.components.map((one) => one.purl))
for (const one of bundled) {
  const purl = `pkg:npm/${one.name.replace('@', '%40')}@${one.version}`
  if (known.has(purl)) continue
  known.add(purl)
  const ref = `${one.name}@${one.version}`
  bom.components.push({
    'bom-ref': ref,
    type: 'library',
    name: one.name,
    version: one.version,
    scope: 'required',
    purl,
    properties: [{ name: 'agentserver:bundled', value: one.list }],
    licenses: [{ expression: one.license }],
  })
  bom.dependencies.push({ ref, dependsOn: [] })
  bom.dependencies.find((entry) => entry.ref === component['bom-ref']).dependsOn.push(ref)
}

const [out] = process.argv.slice(2)
const text = `${JSON.stringify(bom, undefined, 2)}\n`
if (out === undefined) process.stdout.write(text)
else fs.writeFileSync(out, text)
