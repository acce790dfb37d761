import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { Inject, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { createServer } from 'agentserver/server'
import config from '../agentserver.config.js'

@Module({})
export class AgentsModule implements OnModuleInit, OnApplicationShutdown {
  private readonly agents = createServer(config)

  constructor(@Inject(HttpAdapterHost) private readonly host: HttpAdapterHost) {}

  async onModuleInit() {
    await this.agents.ready()
    this.host.httpAdapter.use('/agents', this.agents.node)
    const http: Server = this.host.httpAdapter.getHttpServer()
    http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (!request.url?.startsWith('/agents/')) return socket.destroy()
      request.url = request.url.slice('/agents'.length)
      this.agents.upgrade(request, socket, head)
    })
  }

  onApplicationShutdown() {
    return this.agents.close()
  }
}
