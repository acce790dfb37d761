import { runCommandLine } from './command-line.ts'
import { COMMANDS } from './command-table.ts'

await runCommandLine(process.argv, COMMANDS)
