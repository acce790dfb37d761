import { escapeControls } from '../../lib/escape-controls.ts'
import { examples } from '../command.ts'
import type { CliCommand } from '../command.ts'
import type { Check } from '../doctor/check.ts'
import { runChecks } from '../doctor/run-checks.ts'
import { EXIT, exitCodes } from '../exit-code.ts'
import type { Terminal } from '../print/terminal.ts'

export const doctor: CliCommand = {
  define: (command) => {
    command
      .addHelpText(
        'after',
        `\n${exitCodes({ [EXIT.done]: 'no errors; warnings are possible', [EXIT.usage]: 'at least one error' })}`,
      )
      .addHelpText('after', examples('doctor', 'doctor --config apps/shop', 'doctor --json'))
  },
  run: async (call) => {
    const { terminal } = call
    terminal.protectStdout()
    const checks = (await runChecks(call)).map((check) => withCommands(check, terminal))
    const ok = checks.every(({ status }) => status !== 'error')
    if (terminal.json) terminal.printValue({ ...(!ok && failureOf(checks)), ok, checks })
    else terminal.print(checks.map((check) => lines(check, terminal)).join('\n'))
    return ok ? EXIT.done : EXIT.usage
  },
}

/** A check whose advice has its commands as they are to be typed. */
function withCommands(check: Check, terminal: Terminal): Check {
  const { advice } = check
  return advice === undefined ? check : { ...check, advice: terminal.withCommands(advice) }
}

/** The failure in the form of all other commands, beside the checks. */
function failureOf(checks: readonly Check[]): { success: false; error: string } {
  const failed = checks.filter(({ status }) => status === 'error').map(({ message }) => message)
  return { success: false, error: failed.join('; ') }
}

const ID_WIDTH = 9
const INDENT = ' '.repeat(ID_WIDTH + 2)

function lines({ id, status, message, advice = '' }: Check, terminal: Terminal): string {
  const { paint } = terminal
  const marks = { ok: paint.green('✓'), warning: paint.yellow('!'), error: paint.red('✗') }
  const text = escapeControls(message).replaceAll('\n', `\n${INDENT}`)
  const line = `${marks[status]} ${paint.dim(id.padEnd(ID_WIDTH))}${text}`
  return advice === '' ? line : `${line}\n${INDENT}${paint.dim(`→ ${escapeControls(advice)}`)}`
}
