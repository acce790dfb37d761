import { defineConfig } from 'agentserver'
import { expense } from './src/workflows/expense.ts'

export default defineConfig({
  workflows: [expense],
})
