// Runs a TypeScript file of this folder, by the product's own loader: `node test/bench/main.js [file] [argument…]`.
import path from 'node:path'
import { loadOnce } from '../../dist/config/live/load-once.js'

const [file = 'run.ts', ...args] = process.argv.slice(2)
const root = import.meta.dirname
await loadOnce({
  project: { root, configFile: path.join(root, file) },
  mode: 'bench',
  alias: {},
  accept: (module) => module.main(args),
})
