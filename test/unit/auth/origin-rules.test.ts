import { describe, expect, it } from 'vitest'
import { allowedOrigin, checkOrigin, isAllowedHost, isLocal } from '../../../src/auth/origin-rules.ts'

const trusted = { allowedHosts: ['dev.example'], origins: ['https://app.example'] }

const request = (headers: Readonly<Record<string, string>>, method = 'GET') =>
  new Request('http://localhost:3141/workflows', { method, headers: { host: 'localhost:3141', ...headers } })

const peer = (remoteAddress: string | undefined) => ({
  remoteAddress,
  remotePort: 50_000,
  localAddress: '192.168.1.20',
  localPort: 3141,
})

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

  it.each([
    { origin: 'https://evil.example' },
    { origin: 'http://localhost:5173' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('refuses unsafe methods and handshakes, but not reads, with %j', (headers) => {
    expect(() => checkOrigin(request(headers), trusted)).not.toThrow()
    expect(() => checkOrigin(request(headers, 'POST'), trusted)).toThrow('other origins')
    expect(() => checkOrigin(request(headers), trusted, true)).toThrow('other origins')
  })

  it.each([{}, { origin: 'http://localhost:3141' }, { origin: 'https://app.example' }])(
    'allows unsafe methods with %j',
    (headers) => {
      expect(() => checkOrigin(request(headers, 'POST'), trusted)).not.toThrow()
    },
  )
})

describe('isLocal', () => {
  const local = (headers: Readonly<Record<string, string>>, remoteAddress?: string) => {
    const socket = remoteAddress === undefined ? undefined : peer(remoteAddress)
    return isLocal(request(headers), trusted, socket)
  }

  it('requires a loopback or allowed host, unlike checkOrigin not just any IP address', () => {
    expect(local({ host: '127.0.0.1:3141' })).toBe(true)
    expect(local({ host: 'dev.example' })).toBe(true)
    expect(local({ host: '192.168.1.20' })).toBe(false)
  })

  it('is false for pages of other origins', () => {
    expect(local({ origin: 'https://evil.example' })).toBe(false)
    expect(local({ origin: 'http://localhost:5173' })).toBe(false)
    expect(local({ 'sec-fetch-site': 'cross-site' })).toBe(false)
  })

  it('requires a peer on this machine, whatever the headers say', () => {
    expect(local({}, '127.0.0.1')).toBe(true)
    expect(local({}, '192.168.1.21')).toBe(false)
    expect(local({ 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1' }, '192.168.1.21')).toBe(false)
  })
})

describe('allowedOrigin', () => {
  it('returns configured origins', () => {
    expect(allowedOrigin(request({ origin: 'https://app.example' }), trusted)).toBe('https://app.example')
  })

  it.each([
    {},
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { origin: 'http://localhost:5173' },
    { origin: 'https://app.example:444' },
  ])('returns none for %j', (headers) => {
    expect(allowedOrigin(request(headers), trusted)).toBeUndefined()
  })
})

it('isAllowedHost ignores port and case', () => {
  expect(isAllowedHost('DEV.example:80', trusted)).toBe(true)
  expect(isAllowedHost('localhost', trusted)).toBe(false)
})
