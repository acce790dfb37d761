import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { GuardedServer, bearer, keyHeader, provider } from '../support/server/guarded-server.ts'

it('invalid credentials are logged with their source and counted, over HTTP and WebSocket, never with their value', async () => {
  const server = new GuardedServer({ authNext: { provider: provider() } })
  const bound = await server.listen()
  const status = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
    (await fetch(bound.url + path, { headers })).status
  expect(await status('/workflows', keyHeader('guess-number-one'))).toBe(401)
  expect(await status('/workflows?key=guess-number-two')).toBe(401)
  expect(await status('/hello', bearer('guess-number-three'))).toBe(401)
  expect(await status('/hello')).toBe(401)
  const socket = new WebSocket(`${bound.url.replace('http', 'ws')}/ws?key=guess-number-four`)
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.once('unexpected-response', resolve))

  const metrics = await server.request('/observability/metrics', { headers: keyHeader() })
  const samples = (await metrics.text()).match(/^agentserver_auth_failures_total\{.*$/gm)
  expect(samples?.toSorted()).toEqual([
    'agentserver_auth_failures_total{access="console"} 3',
    'agentserver_auth_failures_total{access="user"} 1',
  ])
  await server.close()
  await bound.close(0)
  const logged = server.logs.filter(({ msg }) => String(msg).includes('credentials'))
  expect(logged.map(({ source, count }) => [source, count])).toEqual([
    ['127.0.0.1', 1],
    ['127.0.0.1', 3],
  ])
  expect(JSON.stringify(server.logs)).not.toContain('guess-number')
})
