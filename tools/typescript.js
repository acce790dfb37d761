// A hook of Node's loader (see `register` of node:module): removes the types of TypeScript modules.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'oxc-transform'

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context)
  const file = fileURLToPath(url)
  const { code, errors } = transformSync(file, await readFile(file, 'utf8'))
  if (errors.length > 0) throw new SyntaxError(errors[0].message)
  return { format: 'module', source: code, shortCircuit: true }
}
