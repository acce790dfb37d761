import { afterAll, beforeAll, expect, it } from 'vitest'
import { resolveSchema } from '../../../../../src/console/form/json-schema.ts'
import { fillPath, readDescription } from '../../../../../src/console/screens/api/api-description.ts'
import type { ApiDescription } from '../../../../../src/console/screens/api/api-description.ts'
import { TestServer } from '../../../../support/server/test-server.ts'

const server = new TestServer({
  configureApp: (app) => void app.post('/hello/:name', (c) => c.text('hello')),
})
let description: ApiDescription
beforeAll(async () => {
  description = readDescription(await (await server.request('/doc')).text())
})
afterAll(() => server.close())

const operation = (id: string) => description.operations.find((one) => one.id === id)

it('a custom route has no key in the client, and takes a body', () => {
  expect(operation('POST /hello/{name}')).toMatchObject({ key: undefined, takesBody: true, group: 'Custom' })
  expect(operation('getAgentCard')).toMatchObject({ key: 'getAgentCard', takesBody: false })
})

it('the schemas of parameters resolve, also those that are components', () => {
  const { query = {} } = operation('listExecutions')?.parameters ?? {}
  const { from = {} } = query['properties'] as Record<string, Record<string, unknown>>
  expect(resolveSchema(from, query)).toMatchObject({
    type: 'string',
    description: 'Only those created after this instant',
  })
})

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
