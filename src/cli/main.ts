import { runCommandLine } from './command-line.ts'
import { COMMANDS } from './command-table.ts'
import { leaveHotCode } from './hot-code.ts'
import { keepYoungGenerationSmall } from './young-generation.ts'

keepYoungGenerationSmall()
leaveHotCode()
await runCommandLine(process.argv, COMMANDS)
