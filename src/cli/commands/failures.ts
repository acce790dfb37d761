import type { Failure } from '../../contract/endpoints/failures.ts'
import { failingLine } from '../../contract/failing-line.ts'
import { PAGE } from '../../contract/fields.ts'
import { escapeControls } from '../../lib/escape-controls.ts'
import { examples } from '../command.ts'
import type { CliCommand } from '../command.ts'
import { connect } from '../connect/connect.ts'
import { noteUnknownName } from '../error-hints.ts'
import { EXIT, exitCodes } from '../exit-code.ts'
import { duration } from '../print/duration.ts'
import type { Terminal } from '../print/terminal.ts'

const HELP = `
Failed executions are grouped by their error, step and place in the code, the newest first. A failure is resolved
when a replay of one of its executions completes, and open again with the next one that fails.
`

export const failures: CliCommand = {
  define: (command) => {
    command
      .option('--workflow <id>', 'failures of this workflow')
      .option('--all', 'include resolved failures')
      .option(
        '--limit <n>',
        `maximum number of failures (default: ${PAGE.defaultLimit}, at most ${PAGE.maxLimit})`,
      )
      .option('--offset <n>', 'number of failures to skip')
      .option('--exit-code', `exit with ${EXIT.failed} if a failure is open`)
      .addHelpText('after', HELP)
      .addHelpText(
        'after',
        `${examples(
          'failures',
          'failures --workflow order --all --json',
          'failures --exit-code',
        ).trimStart()}\n\n${exitCodes({
          [EXIT.done]: 'success',
          [EXIT.failed]: 'with --exit-code: failures are open',
          [EXIT.unreachable]: 'the server is unreachable, or the credentials are rejected',
        })}`,
      )
  },
  run: async (call) => {
    const { options, terminal } = call
    const { client } = await connect(call, { readOnly: true })
    const { workflow: workflowId, limit, offset } = options as Record<string, string | undefined>
    const open = options['all'] === true ? undefined : 'true'
    const found = await client.listFailures({ query: { workflowId, limit, offset, open } })
    if (terminal.json) terminal.printValue(found)
    else if (found.length === 0) {
      terminal.note(open ? 'No failures are open.' : 'No failures found.')
      await noteUnknownName(terminal, { workflows: workflowId }, client)
    } else for (const failure of found) print(failure, terminal)
    return options['exitCode'] === true && found.some((failure) => failure.open) ? EXIT.failed : EXIT.done
  },
}

function print(failure: Failure, terminal: Terminal): void {
  const { paint } = terminal
  const { error, workflowId, count, firstAt, lastAt, lastExecutionId, resolvedAt } = failure
  const mark = failure.open ? paint.red('✗') : paint.green('✓')
  const ago = (instant: string) => `${duration(Date.now() - Date.parse(instant))} ago`
  const { stepId } = error
  const location = failingLine(error)
  const details = [
    stepId === undefined ? workflowId : `${workflowId} › ${stepId}`,
    ...(location ? [`${location.file}:${location.line}`] : []),
    `${count.toLocaleString('en-US')} ×`,
    ...(count > 1 ? [`first ${ago(firstAt)}`] : []),
    `last ${ago(lastAt)}`,
    ...(resolvedAt === null ? [] : [`resolved ${ago(resolvedAt)}`]),
    lastExecutionId,
  ]
  terminal.print(`${mark} ${escapeControls(`${error.name}: ${error.message}`)}`)
  terminal.print(paint.dim(`  ${escapeControls(details.join(' · '))}`))
}
