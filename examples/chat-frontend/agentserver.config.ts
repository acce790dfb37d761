import { defineConfig } from 'agentserver'
import { guide } from './src/agents/guide.ts'

export default defineConfig({
  agents: [guide],
  // Only needed when the page is served from another origin than the API, as in production.
  cors: { origins: process.env['WEB_ORIGIN'] ? [process.env['WEB_ORIGIN']] : [] },
})
