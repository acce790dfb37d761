// Prints the section of CHANGELOG.md for a tag such as v0.1.0, whose version the packages must have.
import fs from 'node:fs'

const read = (file) => fs.readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
const [tag = ''] = process.argv.slice(2)
const version = tag.replace(/^v/, '')

for (const file of ['package.json', 'create/package.json']) {
  const own = JSON.parse(read(file)).version
  if (own !== version) fail(`${file} has version ${own}, the tag is ${tag}: run npm version ${version}`)
}
const sections = read('CHANGELOG.md').split(/^## (?=\[)/m)
const section = sections.find((text) => text.startsWith(`[${version}]`))
if (section === undefined) fail(`CHANGELOG.md has no section [${version}]`)
const [heading = '', ...lines] = section.split('\n')
if (/unreleased/i.test(heading)) fail(`CHANGELOG.md: write the date of ${version} instead of "Unreleased"`)
process.stdout.write(`${lines.join('\n').trim()}\n`)

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
