import { afterAll, beforeAll, expect, it } from 'vitest'
import { resolveSchema } from '../../../../../src/console/form/json-schema.ts'
import { readDescription } from '../../../../../src/console/screens/api/api-description.ts'
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
