import { expect, test } from 'vitest'
import { checkNode, checkRuntime } from '../../../../src/cli/doctor/run-checks.ts'
import { OWN_PACKAGE } from '../../../../src/lib/packages/own-package.ts'

const { node: range } = OWN_PACKAGE.engines

test('the Node version that runs this test is supported, an older one is not', () => {
  expect(checkNode(process.versions.node, range).status).toBe('ok')
  expect(checkNode('18.20.4', range)).toMatchObject({
    status: 'error',
    message: 'Node 18.20.4 is not supported',
    advice: expect.stringContaining(range),
  })
})

test.each(['20.19.0', '20.20.2', '22.12.0', '23.0.0', '26.1.0', '26.1.0-nightly20261101'])(
  'Node %s is supported',
  (version) => {
    expect(checkNode(version, range).status).toBe('ok')
  },
)

test.each(['18.20.0', '20.18.9', '21.7.0', '22.11.9'])('Node %s is not supported', (version) => {
  expect(checkNode(version, range).status).toBe('error')
})

test.each([
  ['Bun 1.4.5', { bun: '1.4.5', node: '26.3.0' }],
  ['Deno 2.9.6', { deno: '2.9.6', node: '26.3.0' }],
])('doctor names %s, instead of the Node.js version that it reports', (name, versions) => {
  const { status, message } = checkRuntime(versions, '>=20')
  expect({ status, message }).toEqual({
    status: 'warning',
    message: `${name} is covered by a smoke test only`,
  })
})
