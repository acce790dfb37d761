import { expect, test } from 'vitest'
import { ENDPOINT_LIST } from '../../src/contract/index.ts'
import { routeMatcher } from '../../src/contract/route-pattern.ts'
import { readText } from './pages.ts'

const page = readText('docs/guides/from-voltagent.md')
const rows = page
  .slice(page.indexOf('## Front ends'), page.indexOf('```js\n// works'))
  .split('\n')
  .filter((line) => line.startsWith('| `'))
const matches = routeMatcher(ENDPOINT_LIST.map(([, { path }]) => path))

/** The routes of the first cell. A method applies to those after it, and a path from its third slash on to the one before. */
function routesOf(row: string): string[] {
  const [, cell = ''] = row.split('|')
  return [...cell.matchAll(/`(?:(?:GET|POST|PATCH|DELETE) )?(\/[^`…]*)`/g)].map(([, path = '']) => path)
}

test('the page lists routes that are served as the same, and others as not here', () => {
  const whole = (path: string) =>
    /^\/(agents|workflows|tools|mcp|observability|api|updates|setup|doc|ui)/.test(path)
  const listed = rows.map((row) => ({ same: /\| Same\b/.test(row), paths: routesOf(row).filter(whole) }))
  const same = listed.filter((row) => row.same).flatMap(({ paths }) => paths)
  const missing = rows
    .filter((row) => row.includes('| Not here'))
    .flatMap((row) => routesOf(row).filter(whole))
  expect(same.length).toBeGreaterThan(25)
  expect(same.filter((path) => !matches({ method: 'GET', path }))).toEqual([])
  expect(missing).toEqual([
    '/api/memory/conversations/:conversationId/clone',
    '/api/memory/save-messages',
    '/api/memory/messages/delete',
    '/api/memory/search',
  ])
  expect(missing.filter((path) => matches({ method: 'GET', path }))).toEqual([])
})
