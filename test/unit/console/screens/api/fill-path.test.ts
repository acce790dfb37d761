import { expect, it } from 'vitest'
import { fillPath } from '../../../../../src/console/screens/api/fill-path.ts'

it.each<[path: string, values: Readonly<Record<string, string>>, key: string | undefined, expected: string]>([
  ['/workflows/{id}', { id: 'a/b' }, 'getWorkflow', '/workflows/a%2Fb'],
  ['/console/{path}', { path: 'assets/x.js' }, 'getConsole', '/console/assets/x.js'],
  ['/files/{rest}', { rest: 'a/b c' }, undefined, '/files/a/b%20c'],
  ['/a/{rest}/b/{rest2}', { rest: '1/2', rest2: '3/4' }, undefined, '/a/1/2/b/3/4'],
  ['/items/{item-id}', { 'item-id': '7' }, undefined, '/items/7'],
  ['/own/{path}', { path: 'a/b' }, undefined, '/own/a%2Fb'],
])('fillPath replaces the parameters of %s', (path, values, key, expected) => {
  expect(fillPath({ path, key }, (name) => values[name] ?? '')).toBe(expected)
})
