import { createServer } from 'agentserver/server'
import config from './agentserver.config.ts'

/** Serves the configuration inside your own process. */
export async function serve() {
  const server = createServer({ ...config, database: ':memory:', port: 0 })
  const { url } = await server.listen()
  return { url, close: () => server.close() }
}
