import { defineConfig } from 'agentserver'
import { expense } from './expense.ts'
import { support } from './support.ts'

export default defineConfig({ workflows: [expense], agents: [support] })
