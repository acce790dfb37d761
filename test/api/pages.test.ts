import { afterAll, describe, expect, it } from 'vitest'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const server = new TestServer()
afterAll(() => server.close())

const EXTERNAL = /(?:https?:)?\/\/(?!www\.w3\.org)[a-z]/i

describe('the landing page', () => {
  it('lists the workflows, and links to other pages', async () => {
    const response = await server.request('/')
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    const page = await response.text()
    expect(page).toContain('<code>order</code>')
    expect(page).toContain('Ship an order')
    expect(page).not.toMatch(EXTERNAL)
    for (const [, path = ''] of page.matchAll(/href="([^"]+)"/g))
      expect((await server.request(path)).status).toBe(200)
  })

  it('escapes the text of the configuration', async () => {
    const { createWorkflow } = await import('agentserver')
    const workflow = createWorkflow({ id: 'w', purpose: '<script>alert("1")</script> & more' }).andThen({
      id: 'a',
      execute: () => 1,
    })
    const own = new TestServer({ workflows: [workflow] })
    const page = await (await own.request('/')).text()
    expect(page).not.toContain('<script')
    expect(page).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; more')
    await own.close()
  })

  it('works without workflows', async () => {
    const bare = new TestServer({ workflows: [] })
    expect(await (await bare.request('/')).text()).toContain('The configuration declares no workflows')
    expect(await dataOf(bare.request('/workflows'))).toEqual([])
    await bare.close()
  })
})

describe('the API explorer', () => {
  it('loads everything from this server', async () => {
    const response = await server.request('/ui')
    expect(response.headers.get('content-security-policy')).toMatch(/script-src 'self';/)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    const page = await response.text()
    expect(page).not.toMatch(EXTERNAL)
    const assets = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path)
    expect(assets).toEqual(['ui/icon.svg', 'ui/swagger-ui.css', 'ui/swagger-ui-bundle.js', 'ui/init.js'])
    const types = []
    for (const asset of assets) {
      const reply = await server.request(asset)
      expect(reply.status).toBe(200)
      types.push(reply.headers.get('content-type'))
      expect((await reply.text()).length).toBeGreaterThan(100)
    }
    const script = 'text/javascript; charset=utf-8'
    expect(types).toEqual(['image/svg+xml', 'text/css; charset=utf-8', script, script])
    const init = await (await server.request('/ui/init.js')).text()
    expect(init).toContain('validatorUrl: null')
    expect(init).not.toMatch(EXTERNAL)
  })

  it.each(['nothing.js', 'package.json', 'constructor', '.', '%2e%2e%2f%2e%2e%2fpackage.json', 'init.js%00'])(
    'has no asset %s',
    async (asset) => {
      const response = await server.request(`/ui/${asset}`)
      expect(response.status).toBe(404)
    },
  )

  it.each([
    ['off when it is disabled', { enableSwaggerUI: false }, false, 404],
    ['off in production', {}, true, 404],
    ['on in production when it is enabled', { enableSwaggerUI: true }, true, 200],
    ['on by default in development', {}, false, 200],
  ])('is %s', async (_, config, production, status) => {
    const own = new TestServer(config, { production })
    const statuses = []
    for (const path of ['/ui', '/ui/init.js', '/ui/swagger-ui.css'])
      statuses.push((await own.request(path)).status)
    expect(statuses).toEqual([status, status, status])
    expect((await (await own.request('/')).text()).includes('href="./ui"')).toBe(status === 200)
    expect((await own.request('/doc')).status).toBe(200)
    await own.close()
  })

  it('that is disabled names the option to enable it', async () => {
    const own = new TestServer({ enableSwaggerUI: false })
    expect(await refusalOf(own.request('/ui'), 404)).toContain('enableSwaggerUI')
    await own.close()
  })
})

describe.each(['/healthz', '/readyz'])('%s', (path) => {
  it('returns ok and nothing else', async () => {
    const response = await server.request(path)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('ok')
  })
})
