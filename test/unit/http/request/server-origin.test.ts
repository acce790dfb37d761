import { expect, it } from 'vitest'
import { serverOrigin } from '../../../../src/http/request/server-origin.ts'

const trusted = { allowedHosts: ['api.example'], origins: [] }

it.each([
  ['no proxy headers', {}, 'http://localhost:3141'],
  ['X-Forwarded-Proto', { 'x-forwarded-proto': 'HTTPS' }, 'https://localhost:3141'],
  ['an unknown scheme', { 'x-forwarded-proto': 'javascript' }, 'http://localhost:3141'],
  ['an allowed host', { 'x-forwarded-host': 'API.example:8443' }, 'http://api.example:8443'],
  ['a host that is not allowed', { 'x-forwarded-host': 'evil.example' }, 'http://localhost:3141'],
  ['a host with a path', { 'x-forwarded-host': 'api.example/x' }, 'http://localhost:3141'],
  ['a host with a user', { 'x-forwarded-host': 'evil@api.example' }, 'http://localhost:3141'],
])('serverOrigin with %s', (_, headers, origin) => {
  const request = new Request('http://localhost:3141/agents', { headers: headers as Record<string, string> })
  expect(serverOrigin(request, trusted)).toBe(origin)
})
