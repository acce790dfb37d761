import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { hostProblem, refuseBytes, refusalResponse } from '../../../src/server/early-refusal.ts'

const incoming = (url: string, ...hosts: string[]) =>
  ({
    url,
    rawHeaders: ['Accept', '*/*', ...hosts.flatMap((host) => ['hOsT', host])],
  }) as unknown as IncomingMessage

describe('hostProblem', () => {
  it.each([
    ['/', 'localhost'],
    ['/x', 'localhost:3141'],
    ['/x', '[::1]:3141'],
    ['http://localhost:3141/x', 'localhost:3141'],
  ])('accepts %s for the host %s', (url, host) => {
    expect(hostProblem(incoming(url, host))).toBeUndefined()
  })

  it.each([
    ['/', [], 'exactly one Host header'],
    ['/', ['localhost', 'localhost'], 'exactly one Host header'],
    ['/', [''], 'Host header is not valid'],
    ['/', ['a b'], 'Host header is not valid'],
    ['/', ['user@localhost'], 'Host header is not valid'],
    ['*', ['localhost'], 'request target is not valid'],
    ['http://[', ['localhost'], 'request target is not valid'],
    ['http://evil.example/', ['localhost'], 'different hosts'],
  ])('refuses %s for the hosts %j', (url, hosts, problem) => {
    expect(hostProblem(incoming(url, ...hosts))).toContain(problem)
  })
})

describe('refuseBytes', () => {
  it.each([
    ['HPE_HEADER_OVERFLOW', 431],
    ['ERR_HTTP_REQUEST_TIMEOUT', 408],
    ['CONNECT', 405],
    ['HPE_INVALID_METHOD', 400],
    [undefined, 400],
  ])('responds to %s with %i and the envelope, and closes the socket', async (code, status) => {
    const socket = new PassThrough()
    refuseBytes(socket, code, 'r1')
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(head).toContain('\r\nX-Request-Id: r1')
    expect(head).toContain(`\r\nContent-Length: ${Buffer.byteLength(body)}`)
    expect(head.includes('\r\nAllow: ')).toBe(status === 405)
    expect(JSON.parse(body)).toEqual({ success: false, error: expect.any(String) as string })
  })
})

it('refusalResponse is a 400 with the envelope', async () => {
  const response = refusalResponse([400, 'no'], 'r1')
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ success: false, error: 'no' })
})
