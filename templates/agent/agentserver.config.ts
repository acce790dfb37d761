import { defineConfig } from 'agentserver'
import { clerk } from './src/agents/clerk.ts'
import { estimate } from './src/workflows/estimate.ts'

export default defineConfig({
  agents: [clerk],
  workflows: [estimate],
})
