// `node site/check-drawings.js`: parses the drawings of README.md and docs/ with mermaid, which draws them on the site
// and on GitHub. jsdom is that of the repository.
import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { JSDOM } from 'jsdom'

// mermaid cleans labels with the DOM of its page
const { window } = new JSDOM('')
Object.assign(globalThis, { window, document: window.document })
const { default: mermaid } = await import('mermaid')

const root = fileURLToPath(new URL('..', import.meta.url))
const pages = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => path.join('docs', name))

let count = 0
const broken = []
for (const page of ['README.md', ...pages]) {
  const text = readFileSync(path.join(root, page), 'utf8')
  for (const [, drawing = ''] of text.matchAll(/^```mermaid\n(.*?)^```$/gms)) {
    count += 1
    await mermaid.parse(drawing).catch((error) => broken.push(`${page}: ${error.message}`))
  }
}
if (count === 0) broken.push('README.md and docs/ have no drawings that this finds')
if (broken.length > 0) {
  process.stderr.write(`${broken.join('\n\n')}\n`)
  process.exit(1)
}
process.stdout.write(`${count} drawings\n`)
