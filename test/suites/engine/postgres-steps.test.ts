import { postgresEngine } from './postgres-engine.ts'

postgresEngine('steps')
