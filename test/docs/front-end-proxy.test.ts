import { createAgent, demoModel } from 'agentserver'
import { createServer } from 'agentserver/server'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { createServer as createVite } from 'vite'
import { expect, test, vi } from 'vitest'
import { root } from './pages.ts'

test('the page of the front-end guide reaches its agent through the proxy of Vite', async () => {
  const guide = createAgent({ id: 'guide', name: 'Guide', instructions: 'Answer.', model: demoModel() })
  const server = createServer(
    { agents: [guide], database: ':memory:', port: 0 },
    { logger: pino({ enabled: false }) },
  )
  const { url } = await server.listen()
  vi.stubEnv('AGENTSERVER_URL', url)
  const folder = fileURLToPath(new URL('examples/chat-frontend', root))
  const page = await createVite({
    configFile: path.join(folder, 'vite.config.ts'),
    configLoader: 'runner',
    root: path.join(folder, 'web'),
    server: { port: 0, ws: false },
    optimizeDeps: { noDiscovery: true },
    logLevel: 'silent',
  })
  try {
    await page.listen()
    const origin = new URL(page.resolvedUrls?.local[0] ?? '').origin
    const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }]
    const response = await fetch(`${origin}/agents/guide/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ id: 'trip-1', messages }),
    })
    expect(await response.text()).toContain('"finishReason":"stop"')
  } finally {
    await page.close()
    await server.close()
    vi.unstubAllEnvs()
  }
})
