import { expect, test } from 'vitest'
import { packageNameFor } from '../../../../src/cli/init/plan-project.ts'
import { isPackageName } from '../../../../src/contract/endpoints/project/updates.ts'

test.each([
  ['shop', 'shop'],
  ['My Shop', 'my-shop'],
  ['my.shop.v2', 'my.shop.v2'],
  ['.hidden', 'hidden'],
  ['_private', 'private'],
  ['...', 'my-agentserver'],
  ['Über Café', 'uber-cafe'],
  ['@scope', 'scope'],
  ['店', 'my-agentserver'],
  ['a  &  b!', 'a-b'],
  ['node_modules', 'node_modules-app'],
  ['http', 'http-app'],
  ['zod', 'zod-app'],
])('the directory "%s" becomes the package name "%s"', (directory, name) => {
  expect(packageNameFor(`/home/ada/${directory}`, ['agentserver', 'zod'])).toBe(name)
})

test('the name is valid for npm, for any directory name', () => {
  for (const directory of ['/', '/-', '/x'.padEnd(300, 'x'), '/\u0301', '/~x', '/%2e', '/a\nb', '/🙂 x'])
    expect(isPackageName(packageNameFor(directory, []))).toBe(true)
})
