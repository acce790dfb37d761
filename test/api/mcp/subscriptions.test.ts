import { createMcpServer, type McpResource } from 'agentserver'
import type { AgentServerConfig } from 'agentserver'
import { describe, expect, it } from 'vitest'
import { connectClient } from '../../support/clients/mcp-client.ts'
import { next, RawSession, type Message } from '../../support/clients/mcp-session.ts'
import { reloadedServer } from '../../support/server/reloaded-server.ts'

/** Orders with change events, and the number of their watchers. */
function orders() {
  const watching = new Map<string, () => void>()
  const resource: McpResource = {
    uri: 'orders://{id}',
    name: 'Order',
    read: ({ params }) => params['id'],
    watch: ({ uri, params, userId, signal }, changed) => {
      if (params['id'] === 'broken') throw new Error('there is no such order')
      watching.set(`${uri} ${userId}`, changed)
      signal.addEventListener('abort', () => watching.delete(`${uri} ${userId}`))
    },
  }
  return { resource, watching, change: (uri: string) => watching.get(`${uri} grace`)?.() }
}
const terms = (): McpResource => ({ uri: 'docs://terms', name: 'Terms', read: () => 'Be kind' })

async function serving(resources: readonly McpResource[]) {
  const provider = { type: 'test', verifyToken: (token: string) => ({ id: token }) }
  const offering = (offered: readonly McpResource[]): AgentServerConfig => ({
    mcpServers: [createMcpServer({ id: 'shop', name: 'Shop', resources: offered })],
    authNext: { provider },
  })
  const { url, put, printed } = await reloadedServer(offering(resources))
  return { url, printed, put: (offered: readonly McpResource[]) => put(offering(offered)) }
}

const open = (url: string, user = 'grace') => RawSession.open({ url, user })
const subscribe = (session: RawSession, uri: string) => next(session.request('resources/subscribe', { uri }))
const updated = (uri: string) => ({ method: 'notifications/resources/updated', params: { uri } })

/** The stream of a session, and a function that disconnects it. */
function listening(session: RawSession) {
  const left = new AbortController()
  const messages = session.listen(left.signal)
  const first = next(messages)
  first.catch(() => undefined)
  let started = false
  return {
    leave: () => left.abort(),
    next: (): Promise<Message> => {
      if (started) return next(messages)
      started = true
      return first
    },
  }
}

describe('a client on revision 2025-xx', () => {
  it('is notified when a subscribed resource changes', async () => {
    const { resource, watching, change } = orders()
    const { url } = await serving([resource])
    const session = await open(url)
    const stream = listening(session)
    expect(await subscribe(session, 'orders://7')).toMatchObject({ result: {} })
    await subscribe(session, 'orders://8')
    await expect.poll(() => [...watching.keys()]).toEqual(['orders://7 grace', 'orders://8 grace'])
    change('orders://8')
    expect(await stream.next()).toMatchObject(updated('orders://8'))
    await next(session.request('resources/unsubscribe', { uri: 'orders://8' }))
    expect([...watching.keys()]).toEqual(['orders://7 grace'])
    change('orders://8')
    change('orders://7')
    expect(await stream.next()).toMatchObject(updated('orders://7'))
    stream.leave()
    await expect.poll(() => [...watching.keys()]).toEqual([])
  })

  it('is notified after a reconnect, because nothing was watched in between', async () => {
    const { resource, watching } = orders()
    const { url } = await serving([resource])
    const session = await open(url)
    await subscribe(session, 'orders://7')
    expect(watching.size).toBe(0)
    const before = listening(session)
    await expect.poll(() => watching.size).toBe(1)
    before.leave()
    await expect.poll(() => watching.size).toBe(0)
    const again = listening(session)
    expect(await again.next()).toMatchObject(updated('orders://7'))
    again.leave()
  })

  it('has one stream per session: a new one ends the previous one', async () => {
    const { resource, watching, change } = orders()
    const { url } = await serving([resource])
    const session = await open(url)
    await subscribe(session, 'orders://7')
    const first = listening(session)
    await expect.poll(() => watching.size).toBe(1)
    const headers = { authorization: 'Bearer grace', 'mcp-session-id': session.id ?? '' }
    expect((await fetch(url, { method: 'HEAD', headers })).status).toBe(200)
    change('orders://7')
    expect(await first.next()).toMatchObject(updated('orders://7'))
    const second = listening(session)
    await expect(first.next()).rejects.toThrow('The stream ended')
    second.leave()
  })

  it('is notified when a reload recreates the resource, and only then', async () => {
    const { resource, watching, change } = orders()
    const [before, after] = [terms(), terms()]
    const { url, put } = await serving([resource, before])
    const session = await open(url)
    await subscribe(session, 'docs://terms')
    await subscribe(session, 'orders://7')
    const stream = listening(session)
    await expect.poll(() => watching.size).toBe(1)
    await put([resource, before])
    change('orders://7')
    expect(await stream.next()).toMatchObject(updated('orders://7'))
    await put([resource, after])
    expect(await stream.next()).toMatchObject(updated('docs://terms'))
    await put([resource])
    expect(await stream.next()).toMatchObject({ method: 'notifications/resources/list_changed' })
    change('orders://7')
    expect(await stream.next()).toMatchObject(updated('orders://7'))
    stream.leave()
  })

  it('subscribes only to existing resources, with a session, and to at most 50', async () => {
    const { resource, watching } = orders()
    const { url } = await serving([resource])
    const session = await open(url)
    expect((await subscribe(session, 'docs://nothing')).error?.code).toBeLessThan(0)
    expect((await subscribe(session, `orders://${'7'.repeat(2000)}`)).error?.message).toContain('1024')
    for (let id = 0; id < 50; id++) await subscribe(session, `orders://${id}`)
    expect((await subscribe(session, 'orders://50')).error?.message).toContain('50 resources')
    expect(await subscribe(session, 'orders://49')).toMatchObject({ result: {} })
    const stolen = new RawSession({
      url,
      user: 'mallory',
      ...(session.id !== undefined && { id: session.id }),
    })
    expect((await subscribe(stolen, 'orders://1')).error?.message).toContain('Mcp-Session-Id')
    const spying = listening(stolen)
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(watching.size).toBe(0)
    spying.leave()
  })

  it('is notified of other resources when one cannot be watched', async () => {
    const { resource, watching, change } = orders()
    const { url, printed } = await serving([resource])
    const session = await open(url)
    await subscribe(session, 'orders://broken')
    await subscribe(session, 'orders://7')
    const stream = listening(session)
    await expect.poll(() => watching.size).toBe(1)
    change('orders://7')
    expect(await stream.next()).toMatchObject(updated('orders://7'))
    expect(JSON.stringify(printed)).toContain('could not be watched')
    stream.leave()
  })
})

it('a client on revision 2026-xx is notified on its subscription stream', async () => {
  const { resource, watching, change } = orders()
  const { url } = await serving([resource])
  const updated: unknown[] = []
  const client = await connectClient(url)
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void updated.push(params.uri),
  )
  const subscription = await client.listen({ resourceSubscriptions: ['orders://7'] })
  await expect.poll(() => [...watching.keys()]).toEqual(['orders://7 grace'])
  change('orders://7')
  await expect.poll(() => updated).toEqual(['orders://7'])
  await subscription.close()
  await expect.poll(() => watching.size).toBe(0)
  await client.close()
})
