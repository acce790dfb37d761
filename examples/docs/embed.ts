import { createServer } from 'agentserver/server'
import config from './agentserver.config.ts'

/** Serves the configuration inside a process of your own. */
export async function serve() {
  const server = createServer({ ...config, database: ':memory:', port: 0 })
  const { url } = await server.listen()
  return { url, close: () => server.close() }
}
