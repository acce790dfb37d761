import { evalCases } from 'agentserver/testing'
import config from './agentserver.config.ts'

await evalCases({ config, cases: 'cases/expense/*.json', root: new URL('.', import.meta.url) })
