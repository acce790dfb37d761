import 'reflect-metadata'
import { Controller, Get, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { AgentsModule } from './agents.module.js'

@Controller()
class AppController {
  @Get()
  page() {
    return 'My app'
  }
}

@Module({ imports: [AgentsModule], controllers: [AppController] })
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] })
// SIGTERM calls onApplicationShutdown()
app.enableShutdownHooks()
await app.listen(Number(process.env.PORT), '127.0.0.1')
