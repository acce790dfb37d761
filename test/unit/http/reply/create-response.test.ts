import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { copyResponse, createResponse } from '../../../../src/http/reply/create-response.ts'
import type { RequestEnv } from '../../../../src/http/request/request-env.ts'

async function respond(
  make: (c: Parameters<typeof createResponse>[0]) => Response,
  corsHeaders?: Readonly<Record<string, string>>,
): Promise<Response> {
  const app = new Hono<RequestEnv>()
  app.get('/', (c) => {
    c.set('requestId', 'r1')
    c.set('corsHeaders', corsHeaders)
    return make(c)
  })
  return app.request('/')
}

it('createResponse adds the common headers, CORS included', async () => {
  const response = await respond(
    (c) => createResponse(c, 'hello', { status: 201, headers: { 'Content-Type': 'text/plain' } }),
    { Vary: 'Origin' },
  )
  expect(response.status).toBe(201)
  expect(Object.fromEntries(response.headers)).toEqual({
    'content-type': 'text/plain',
    'x-request-id': 'r1',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    vary: 'Origin',
  })
})

it('copyResponse keeps the headers of the response, cookies included', async () => {
  const inner = new Response('hello', {
    status: 418,
    headers: { 'X-Content-Type-Options': 'own', etag: '"1"' },
  })
  inner.headers.append('set-cookie', 'a=1')
  inner.headers.append('set-cookie', 'b=2')
  const response = await respond((c) => copyResponse(c, inner))
  expect(response.status).toBe(418)
  expect(response.headers.get('x-content-type-options')).toBe('own')
  expect(response.headers.get('etag')).toBe('"1"')
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect(response.headers.get('x-request-id')).toBe('r1')
  expect(await response.text()).toBe('hello')
})
