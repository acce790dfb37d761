import { describe, expect, it } from 'vitest'
import { allowedOrigin, checkOrigin, isAllowedHost, isLocal } from '../../../src/auth/origin-rules.ts'

const trusted = { allowedHosts: ['dev.example'], origins: ['https://app.example'] }

const request = (headers: Readonly<Record<string, string>>, method = 'GET') =>
  new Request('http://localhost:3141/workflows', { method, headers: { host: 'localhost:3141', ...headers } })

describe('checkOrigin', () => {
  it.each(['localhost:3141', 'x.localhost', '127.0.0.1', '[::1]:3141', '192.168.1.20', 'dev.example:8443'])(
    'allows the host %s',
    (host) => {
      expect(() => checkOrigin(request({ host }), trusted)).not.toThrow()
    },
  )

  it.each(['evil.example', 'localhost.evil.example', 'x.dev.example', 'notlocalhost'])(
    'refuses the host %s',
    (host) => {
      expect(() => checkOrigin(request({ host }), trusted)).toThrow(`The host "${host}" is not allowed`)
    },
  )

  it.each([{ origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }])(
    'refuses unsafe methods and handshakes, but not reads, with %j',
    (headers) => {
      expect(() => checkOrigin(request(headers), trusted)).not.toThrow()
      expect(() => checkOrigin(request(headers, 'POST'), trusted)).toThrow('other origins')
      expect(() => checkOrigin(request(headers), trusted, true)).toThrow('other origins')
    },
  )

  it.each([{}, { origin: 'http://localhost:5173' }, { origin: 'https://app.example' }])(
    'allows unsafe methods with %j',
    (headers) => {
      expect(() => checkOrigin(request(headers, 'POST'), trusted)).not.toThrow()
    },
  )
})

describe('isLocal', () => {
  it('requires a loopback or allowed host, unlike checkOrigin not just any IP address', () => {
    expect(isLocal(request({ host: '127.0.0.1:3141' }), trusted)).toBe(true)
    expect(isLocal(request({ host: 'dev.example' }), trusted)).toBe(true)
    expect(isLocal(request({ host: '192.168.1.20' }), trusted)).toBe(false)
  })

  it('is false for pages of other sites', () => {
    expect(isLocal(request({ origin: 'https://evil.example' }), trusted)).toBe(false)
    expect(isLocal(request({ 'sec-fetch-site': 'cross-site' }), trusted)).toBe(false)
  })
})

describe('allowedOrigin', () => {
  it('returns configured origins, and loopback outside production', () => {
    expect(allowedOrigin(request({ origin: 'https://app.example' }), trusted, true)).toBe(
      'https://app.example',
    )
    expect(allowedOrigin(request({ origin: 'http://localhost:5173' }), trusted, false)).toBe(
      'http://localhost:5173',
    )
  })

  it.each([
    [{}, false],
    [{ origin: 'null' }, false],
    [{ origin: 'https://evil.example' }, false],
    [{ origin: 'http://localhost:5173', 'sec-fetch-site': 'cross-site' }, false],
    [{ origin: 'http://localhost:5173' }, true],
    [{ origin: 'https://app.example:444' }, false],
  ])('returns none for %j, production: %s', (headers, production) => {
    expect(allowedOrigin(request(headers), trusted, production)).toBeUndefined()
  })
})

it('isAllowedHost ignores port and case', () => {
  expect(isAllowedHost('DEV.example:80', trusted)).toBe(true)
  expect(isAllowedHost('localhost', trusted)).toBe(false)
})
