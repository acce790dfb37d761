import { expect, it } from 'vitest'
import { cors } from '../../../../src/http/app.ts'

const trusted = { allowedHosts: [], origins: ['https://app.example'] }
const corsOf = (method: string, headers: Readonly<Record<string, string>>) =>
  cors(new Request('http://localhost:3141/workflows', { method, headers }), trusted)

it('a trusted origin may read responses', () => {
  const { headers, isPreflight } = corsOf('GET', { origin: 'https://app.example' })
  expect(headers).toMatchObject({ Vary: 'Origin', 'Access-Control-Allow-Origin': 'https://app.example' })
  expect(headers).not.toHaveProperty('Access-Control-Allow-Methods')
  expect(isPreflight).toBe(false)
})

it('an unknown origin gets Vary and nothing else', () => {
  const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
  expect(corsOf('OPTIONS', preflight)).toEqual({ headers: { Vary: 'Origin' }, isPreflight: false })
})

it('a preflight is an OPTIONS request with Access-Control-Request-Method', () => {
  const origin = { origin: 'https://app.example' }
  const preflight = corsOf('OPTIONS', { ...origin, 'access-control-request-method': 'POST' })
  expect(preflight.isPreflight).toBe(true)
  expect(preflight.headers['Access-Control-Allow-Headers']).toContain('Authorization')
  expect(corsOf('OPTIONS', origin).isPreflight).toBe(false)
})
