import { afterEach, beforeEach, expect, test } from 'vitest'
import { OWN_PACKAGE } from '../../../../src/lib/packages/own-package.ts'
import { checkPackages } from '../../../../src/cli/doctor/packages-check.ts'
import { TempProject } from '../../../support/project/temp-project.ts'

let project: TempProject
beforeEach(() => {
  project = new TempProject()
})
afterEach(() => project.remove())

const check = async (needed: readonly string[] = []) => {
  const peers = { ...OWN_PACKAGE.peerDependencies, zod: '^3.25 || ^4' }
  const checks = await checkPackages({ root: project.root, peers, needed })
  return checks.filter(({ status }) => status !== 'ok').map(({ status, message }) => `${status}: ${message}`)
}
const install = (name: string, version: string) =>
  project.write({ [`node_modules/${name}/package.json`]: JSON.stringify({ name, version }) })

test('supported package versions pass', async () => {
  install('ai', '6.0.1')
  install('zod', '3.25.76')
  expect(await check(['ai'])).toEqual([])
})

test('unsupported package versions are errors', async () => {
  install('ai', '4.3.0')
  install('zod', '3.22.0')
  install('agentserver', '0.0.1')
  expect(await check()).toEqual([
    expect.stringMatching(/^warning: Running agentserver .*, but the project has 0\.0\.1 installed$/),
    'error: ai 4.3.0 is not supported',
    'error: zod 3.22.0 is not supported',
  ])
})

test('a missing package is an error only if the project needs it', async () => {
  expect(await check()).toEqual([])
  expect(await check(['ai'])).toEqual(['error: ai is not installed'])
})
