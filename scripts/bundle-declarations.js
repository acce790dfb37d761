// Puts the compiler's declarations into few files: one for each entry of package.json, and those that entries share:
// `npm run build:types`.
import fs from 'node:fs'
import path from 'node:path'
import { build } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import { documentSchemas } from './document-schemas.js'
import manifest from '../package.json' with { type: 'json' }

const DIST = path.join(import.meta.dirname, '../dist')
/** One file for each module. */
const COMPILED = path.join(DIST, 'declarations')

const entries = Object.values(manifest.exports)
  .filter((entry) => entry.types)
  .map(({ types }) => types.replace('./dist/', '').replace('.d.ts', ''))

await documentSchemas(COMPILED)
await build({
  input: Object.fromEntries(entries.map((name) => [name, path.join(COMPILED, `${name}.d.ts`)])),
  external: /^(?![./])/,
  plugins: [dts({ dtsInput: true })],
  output: { dir: DIST, chunkFileNames: 'types/[name]-[hash].js' },
})
fs.rmSync(COMPILED, { recursive: true })
// the bundler moves a comment of one line to the end of the line before, where it belongs to nothing
for (const { parentPath, name } of fs.readdirSync(DIST, { recursive: true, withFileTypes: true }))
  if (name.endsWith('.d.ts')) {
    const file = path.join(parentPath, name)
    const text = fs.readFileSync(file, 'utf8')
    fs.writeFileSync(file, text.replaceAll(/^( *)(.*\S) (\/\*\* .* \*\/)$/gm, '$1$2\n$1$3'))
  }
