import express from 'express'
import { createServer } from 'agentserver/server'
import config from '../agentserver.config.js'

const agents = createServer(config)
await agents.ready()

const app = express()
app.use(express.json())
app.get('/', (_, response) => void response.send('My app'))
app.use('/agents', agents.node)

const http = app.listen(Number(process.env.PORT), '127.0.0.1')
http.on('upgrade', (request, socket, head) => {
  if (!request.url.startsWith('/agents/')) return socket.destroy()
  request.url = request.url.slice('/agents'.length)
  agents.upgrade(request, socket, head)
})
process.once('SIGTERM', () => {
  void agents.close().then(() => http.close())
})
