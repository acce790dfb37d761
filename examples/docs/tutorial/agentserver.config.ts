import { defineConfig } from 'agentserver'
import { refund } from './refund.ts'
import { dailyReport, report } from './report.ts'
import { support } from './support.ts'

export default defineConfig({
  workflows: [refund, report],
  agents: [support],
  schedules: [dailyReport],
})
