import { runCommandLine } from './command-line.ts'
import { runProcess } from './run-process.ts'

await runProcess(runCommandLine)
