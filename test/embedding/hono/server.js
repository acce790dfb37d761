import { serve } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { createServer } from 'agentserver/server'
import { Hono } from 'hono'
import config from '../agentserver.config.js'

const agents = createServer(config)
await agents.ready()

const app = new Hono()
app.get('/', (c) => c.text('My app'))
app.all('/agents/*', async (c) => {
  const { incoming, outgoing } = c.env
  incoming.url = incoming.url.slice('/agents'.length)
  await agents.node(incoming, outgoing)
  return RESPONSE_ALREADY_SENT
})

const http = serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' })
http.on('upgrade', (request, socket, head) => {
  if (!request.url.startsWith('/agents/')) return socket.destroy()
  request.url = request.url.slice('/agents'.length)
  agents.upgrade(request, socket, head)
})
process.once('SIGTERM', () => {
  void agents.close().then(() => http.close())
})
