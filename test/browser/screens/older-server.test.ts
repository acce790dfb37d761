import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { ConsoleBrowser, WatchedPage } from '../../support/browser/console-browser.ts'
import { executionProject } from '../../support/browser/execution-project.ts'
import { type PrefixProxy, prefixProxy } from '../../support/browser/prefix-proxy.ts'

const TABLE = new URL('../../../src/console/app/routes.ts', import.meta.url)
const PATHS = [...fs.readFileSync(TABLE, 'utf8').matchAll(/path: '([^']*)'/g)].map(([, path = '']) => path)
const OLD = '0.0.9'

const project = executionProject()
const known: Record<string, readonly string[]> = {
  workflows: ['shipment', 'order?tab=statistics'],
  agents: ['none'],
  tools: ['none'],
  mcp: ['none'],
}

beforeAll(async () => {
  await project.start()
  const done = await project.execute('shipment', { to: 'home' })
  const failed = await project.execute('shipment', { to: 'home', fail: true })
  const waiting = await project.execute('order', { orderId: 'b', amount: 500 })
  const { data } = await project.server.get(`/observability/executions/${done}`)
  known['traces'] = [data.metadata.traceId]
  known['executions'] = [failed, waiting, ...SEARCHES.map((search) => `${done}?${search}`)]
})
afterAll(() => project.end())

const SEARCHES = ['view=timeline', 'view=graph', 'view=costs', 'view=compare', 'tab=events', 'tab=logs']

function addresses(path: string): readonly string[] {
  const found = path.includes(':') ? (known[path.split('/')[0] ?? ''] ?? ['none']) : undefined
  return found?.map((id) => path.replace(/:\w+/, id)) ?? [path]
}

/** What every server of a version since the first has. */
const FIRST = /^\/(?:workflows|agents|tools|healthz|readyz|observability\/(?:status|executions|traces)\/?)/
const KEPT = new Set(['id', 'executionId', 'workflowId', 'traceId', 'spanId', 'type', 'status', 'version'])

/** A value without the fields that a server might not send yet. */
function stripped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripped)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(
    ([key, one]) => KEPT.has(key) || (typeof one === 'object' && one !== null),
  )
  // of the lists and objects every second one
  return Object.fromEntries(
    kept.filter(([key], index) => KEPT.has(key) || index % 2 === 0).map(([key, one]) => [key, stripped(one)]),
  )
}

/**
 * Serves the project as an older server does: `endpoints` says which endpoints it has, `fields` whether it sends all
 * fields. A proxy, since a browser whose requests are intercepted caches nothing, and loads all code for each screen.
 */
function older(endpoints: RegExp, fields: (data: unknown) => unknown): Promise<PrefixProxy> {
  const settings = '/observability/settings'
  return prefixProxy(project.server.url, '', {
    lacks: (pathname) => pathname !== settings && !endpoints.test(pathname),
    body: (pathname, { data, ...rest }) => {
      const sent = fields(data)
      return { ...rest, data: pathname === settings ? { ...(sent as object), version: OLD } : sent }
    },
  })
}

const SERVERS = [
  ['lacks endpoints', FIRST, (data: unknown) => data],
  ['lacks fields', /./, stripped],
  ['sends nothing but empty objects', /./, (data: unknown) => (Array.isArray(data) ? [] : {})],
] as const

describe.each(SERVERS)('a server of an older version that %s', (_, endpoints, fields) => {
  let proxy: PrefixProxy
  let browser: ConsoleBrowser
  let watched: WatchedPage
  beforeAll(async () => {
    proxy = await older(endpoints, fields)
    browser = await project.browserAt(proxy.url)
    watched = await browser.open('', { expected: /status of 404/ })
  })
  afterAll(async () => {
    await browser.close()
    proxy.close()
  })
  it.each(PATHS)('is named on the screen "%s", which works', async (path) => {
    for (const address of addresses(path)) {
      const { page, complaints } = watched
      await page.goto(new URL(`/console/${address}`, proxy.url).href)
      await page
        .getByRole('status')
        .filter({ hasText: `the server runs ${OLD}: restart the server` })
        .waitFor()
      await expect
        .poll(() => page.locator('main').getByRole('status').filter({ hasText: /…$/ }).allInnerTexts())
        .toEqual([])
      const text = await page.locator('body').innerText()
      expect([
        address,
        text.match(/.*(?:failed to render|NaN|Invalid Date|undefined).*(?:\n.*){3}/)?.[0],
      ]).toEqual([address, undefined])
      expect([address, ...complaints.splice(0)]).toEqual([address])
    }
  })
})

describe('a screen whose endpoint the server does not have', () => {
  it('says so', async () => {
    const proxy = await older(FIRST, (data) => data)
    const browser = await project.browserAt(proxy.url)
    onTestFinished(async () => {
      await browser.close()
      proxy.close()
    })
    const { page, axe } = await browser.open('costs', { expected: /status of 404/ })
    await page
      .getByRole('alert')
      .getByText('The server is of an older version, which does not have this')
      .waitFor()
    expect(await axe()).toEqual([])
  })
})
