import { expect, test } from 'vitest'
import { checkNode } from '../../../../src/cli/doctor/run-checks.ts'
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
