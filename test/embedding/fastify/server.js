import fastify from 'fastify'
import { createServer } from 'agentserver/server'
import config from '../agentserver.config.js'

const agents = createServer(config)
await agents.ready()

const app = fastify()
app.get('/', () => 'My app')
app.register(
  async (scope) => {
    // leaves bodies to agentserver
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.all('/*', async ({ raw }, reply) => {
      reply.hijack()
      raw.url = raw.url.slice('/agents'.length)
      await agents.node(raw, reply.raw)
    })
  },
  { prefix: '/agents' },
)
app.server.on('upgrade', (request, socket, head) => {
  if (!request.url.startsWith('/agents/')) return socket.destroy()
  request.url = request.url.slice('/agents'.length)
  agents.upgrade(request, socket, head)
})
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
process.once('SIGTERM', () => {
  void agents.close().then(() => app.close())
})
