// Runs a TypeScript file of this folder: `node tools/main.js <file> [argument…]`. Node 20 does not load TypeScript.
import { register } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

register('./typescript.js', import.meta.url)
const [file = 'bench/run.ts', ...args] = process.argv.slice(2)
const { main } = await import(pathToFileURL(path.join(import.meta.dirname, file)).href)
await main(args)
