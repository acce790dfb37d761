import { createServer } from 'agentserver/server'
import { defineConfig } from 'vite'
import config from '../agentserver.config.js'

const agents = createServer(config)

/** Serves the agents beside the pages. A change of this file or of what it imports serves the new code. */
const agentsPlugin = {
  name: 'agents',
  configureServer({ middlewares, httpServer }) {
    middlewares.use('/agents', agents.node)
    httpServer.on('upgrade', (request, socket, head) => {
      // the others are those of Vite
      if (!request.url.startsWith('/agents/')) return
      request.url = request.url.slice('/agents'.length)
      agents.upgrade(request, socket, head)
    })
  },
}

export default defineConfig({ plugins: [agentsPlugin] })
