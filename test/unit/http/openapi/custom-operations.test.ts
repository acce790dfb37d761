import { expect, it } from 'vitest'
import { accessPolicy } from '../../../../src/auth/access-policy.ts'
import { Gate } from '../../../../src/auth/gate.ts'
import { addCustomOperations, socketOperations } from '../../../../src/http/openapi/custom-operations.ts'
import type { Paths } from '../../../../src/http/openapi/custom-operations.ts'

const gate = new Gate({
  policy: accessPolicy({ authNext: { provider: { type: 'x', verifyToken: () => null } } }, true),
  consoleKey: 'key',
  production: true,
})

it('addCustomOperations adds path templates with their parameters', () => {
  const paths: Paths = {}
  addCustomOperations(
    paths,
    [
      { method: 'GET', path: '/items/:id{[0-9]+}' },
      { method: 'GET', path: '/files/*' },
    ],
    gate,
  )
  expect(Object.keys(paths)).toEqual(['/items/{id}', '/files/{rest}'])
  expect(paths['/items/{id}']?.['get']).toMatchObject({
    tags: ['Custom'],
    'x-custom': true,
    'x-access': 'user',
    security: [{ userToken: [] }],
    parameters: [{ name: 'id', in: 'path', required: true }],
  })
})

it('addCustomOperations expands ALL, and ignores methods that OpenAPI does not have', () => {
  const paths: Paths = {}
  addCustomOperations(
    paths,
    [
      { method: 'ALL', path: '/any' },
      { method: 'PURGE', path: '/cache' },
    ],
    gate,
  )
  expect(Object.keys(paths['/any'] ?? {})).toEqual(['get', 'put', 'post', 'delete', 'patch'])
  expect(paths['/cache']).toBeUndefined()
})

it('addCustomOperations keeps known operations, also under other parameter names', () => {
  const known = { summary: 'known' }
  const paths: Paths = { '/workflows/{id}': { get: known } }
  addCustomOperations(
    paths,
    [
      { method: 'GET', path: '/workflows/:slug' },
      { method: 'DELETE', path: '/workflows/:slug' },
    ],
    gate,
  )
  expect(Object.keys(paths)).toEqual(['/workflows/{id}'])
  expect(paths['/workflows/{id}']?.['get']).toBe(known)
  expect(paths['/workflows/{id}']?.['delete']).toBeDefined()
})

it('socketOperations describes the access of WebSockets', () => {
  expect(socketOperations(['/ws', '/rooms/:id'], gate)).toEqual({
    '/ws': { 'x-access': 'console', security: [{ consoleKey: [] }] },
    '/rooms/:id': { 'x-access': 'user', security: [{ userToken: [] }] },
  })
})

it('addCustomOperations gives every operation an id of its own and a refusal', () => {
  const paths: Paths = {}
  const routes = ['/hello/:name', '/hello-name', '/codes/:item-id{[0-9]{4}}', '/a/*/b/*'].map((path) => ({
    method: 'GET',
    path,
  }))
  addCustomOperations(paths, routes, gate)
  expect(Object.keys(paths)).toEqual([
    '/hello/{name}',
    '/hello-name',
    '/codes/{item-id}',
    '/a/{rest}/b/{rest2}',
  ])
  const operations = Object.values(paths).map(({ get }) => get)
  expect(operations.map((operation) => operation?.['operationId'])).toEqual([
    'customGetHelloName',
    'customGetHelloName2',
    'customGetCodesItemId',
    'customGetARestBRest2',
  ])
  for (const operation of operations) expect(operation).toHaveProperty(['responses', '4XX', 'description'])
})
