import { runProcess } from '../run-process.ts'
import { runCreate } from './run-create.ts'

await runProcess(runCreate)
