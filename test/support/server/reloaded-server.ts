import type { AgentServerConfig } from 'agentserver'
import { onTestFinished } from 'vitest'
import { resolveConfig } from '../../../src/config/config.ts'
import { listen } from '../../../src/server/listen.ts'
import { LiveServer } from '../../../src/server/live-server.ts'
import { collectLogs } from '../telemetry/collect-logs.ts'

/** A server on a port, until the test ends. Its configuration can be replaced as by a reload. */
export async function reloadedServer(config: AgentServerConfig) {
  const { logs, printed } = collectLogs()
  const server = new LiveServer({ root: process.cwd(), production: false, logs })
  let released = 0
  const put = (next: AgentServerConfig) => {
    const event = { generation: 1, at: '', durationMs: 0, files: [], modules: 0, env: [] }
    const generation = { hold: () => () => void released++ }
    return server.serve(resolveConfig({ database: ':memory:', ...next }, 'test'), { generation, event })
  }
  await put(config)
  const limits = { requestTimeoutMs: 5000, maxConnections: 100 }
  const answering = { fetch: server.app.fetch, upgrade: server.upgrades.handle, logger: logs.logger }
  const bound = await listen(answering, { port: 0, host: '127.0.0.1', limits })
  onTestFinished(async () => {
    await server.stop()
    await bound.close(0)
  })
  /** `released`: how often replaced code was released. */
  return { url: `${bound.url}/mcp/shop`, put, printed, released: () => released }
}
