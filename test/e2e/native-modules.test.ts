import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, test } from 'vitest'

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url))

/** The native modules that a process loads for a program. */
async function nativeModules(program: string): Promise<unknown> {
  const watched = `
    const loaded = []
    const { dlopen } = process
    process.dlopen = (module, file, ...rest) => (loaded.push(file), dlopen(module, file, ...rest))
    ${program}
    console.log(JSON.stringify(loaded))`
  const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', watched])
  return JSON.parse(stdout)
}

test('a program that imports the library, the client or the server loads no native module', async () => {
  const imports = ['index', 'client/index', 'server/index'].map(
    (entry) => `await import(${JSON.stringify(`${DIST}${entry}.js`)});`,
  )
  const create = `
    const { createAgent } = await import(${JSON.stringify(`${DIST}index.js`)})
    createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Answer.' });`
  expect(await nativeModules(create + imports.join(''))).toEqual([])
})
