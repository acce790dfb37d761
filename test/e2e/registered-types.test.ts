import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, it } from 'vitest'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))

it('a registered configuration types the calls by id of the built package, also in its own routes', async () => {
  const tsc = path.join(REPOSITORY, 'node_modules/typescript/bin/tsc')
  const project = path.join(REPOSITORY, 'test/types/registered')
  const checked = await execa(process.execPath, [tsc, '-p', project], { reject: false })
  expect([checked.stdout, checked.exitCode]).toEqual(['', 0])
})
