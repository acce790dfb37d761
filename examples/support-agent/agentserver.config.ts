import { defineConfig } from 'agentserver'
import { shipping } from './src/agents/shipping.ts'
import { support } from './src/agents/support.ts'

export default defineConfig({ agents: [support, shipping] })
