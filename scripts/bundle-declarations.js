// Puts the compiler's declarations into few files: one for each entry of package.json, and those that entries share:
// `npm run build:types`.
import fs from 'node:fs'
import path from 'node:path'
import { build } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import manifest from '../package.json' with { type: 'json' }

const DIST = path.join(import.meta.dirname, '../dist')
/** One file for each module. */
const COMPILED = path.join(DIST, 'declarations')

const entries = Object.values(manifest.exports)
  .filter((entry) => entry.types)
  .map(({ types }) => types.replace('./dist/', '').replace('.d.ts', ''))

await build({
  input: Object.fromEntries(entries.map((name) => [name, path.join(COMPILED, `${name}.d.ts`)])),
  external: /^(?![./])/,
  plugins: [dts({ dtsInput: true })],
  output: { dir: DIST, chunkFileNames: 'types/[name]-[hash].js' },
})
fs.rmSync(COMPILED, { recursive: true })
