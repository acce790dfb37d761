import { defineConfig } from 'agentserver'
import { expense } from '../expense.ts'
import { support } from '../support.ts'
import { refund } from './refund.ts'

export default defineConfig({ workflows: [refund, expense], agents: [support] })
