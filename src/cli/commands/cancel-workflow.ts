import type { CallOf } from '../../client/call.ts'
import type { Endpoints } from '../../contract/index.ts'
import { AppError } from '../../lib/errors.ts'
import { examples } from '../command.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { connect } from '../connect/connect.ts'
import { EXIT } from '../exit-code.ts'
import type { ExitCode } from '../exit-code.ts'
import { METADATA_FILTER, collect, readMetadataFilter } from '../options/metadata-option.ts'
import { readStatus, statusOption } from '../options/execution-options.ts'
import { stopCommand } from '../stop-command.ts'

const one = stopCommand({
  requiredStatus: 'running or suspended',
  example: 'cancel-workflow order order-A-2 --reason "duplicate order"',
  bodyOf: ({ force }) => (force === true ? { force } : {}),
  stop: (client, request) => client.cancelExecution(request),
  outcome: (id, result, { paint }) => {
    if (result.status === 'running')
      return `${paint.cyan('…')} ${id} is being compensated, and is cancelled then`
    const { compensation } = result
    const suffix = compensation === 'failed' ? ', and not all of its steps were compensated' : ''
    return `${paint.yellow('✗')} ${id} is cancelled${suffix}`
  },
})

export const cancelWorkflow: CliCommand = {
  define: (command) => {
    command
      .argument('[workflow]', 'id of the workflow')
      .argument(
        '[executionId]',
        'id of a running or suspended execution; without it, all that the options choose',
      )
      .option('--reason <text>', 'reason, stored with the execution')
      .addOption(statusOption())
      .option('--before <instant>', 'executions created before this ISO 8601 time')
      .option('--after <instant>', 'executions created after this ISO 8601 time')
      .option(...METADATA_FILTER, collect)
      .option('--dry-run', 'only print how many executions would be cancelled')
      .option(
        '--force',
        'with an execution id: skip the compensations of completed steps, also those that have begun',
      )
      .addHelpText(
        'after',
        examples(
          'cancel-workflow order order-A-2 --reason "duplicate order"',
          'cancel-workflow order --status suspended --before 2026-11-01 --dry-run',
          'cancel-workflow --metadata tenant=acme --reason "tenant closed"',
        ),
      )
  },
  run: async (call) => {
    if (call.args[1] === undefined) return cancelChosen(call)
    const given = Object.entries(CHOOSING).find(([option]) => call.options[option] !== undefined)
    if (given)
      throw new AppError('invalid_input', `${given[1]} is for many executions: leave the execution id out`)
    return one.run(call)
  },
}

/** The options that choose executions, which would be ignored beside an execution id, by their names in the call. */
const CHOOSING = {
  status: '--status',
  before: '--before',
  after: '--after',
  metadata: '--metadata',
  dryRun: '--dry-run',
}

type Filter = CallOf<Endpoints['cancelExecutions']>['body']['filter']

/** Cancels the executions that the options choose. */
async function cancelChosen(call: CommandCall): Promise<ExitCode> {
  const { args, options, terminal } = call
  const { before: to, after: from, reason } = options as Partial<Record<string, string>>
  const chosen = {
    workflowId: args[0],
    status: readStatus(options),
    from,
    to,
    ...readMetadataFilter(options),
  }
  const filter = Object.fromEntries(
    Object.entries(chosen).filter(([, value]) => value !== undefined),
  ) as Filter
  if (Object.keys(filter).length === 0)
    throw new AppError('invalid_input', 'Name an execution, or choose executions', {
      hint: 'Example: cancel-workflow order --status suspended --before 2026-11-01',
    })
  if (options['force'] === true) throw new AppError('invalid_input', '--force needs the id of an execution')
  const dryRun = options['dryRun'] === true
  const { client } = await connect(call)
  const result = await client.cancelExecutions({ body: { filter, dryRun, reason } })
  if (terminal.json) terminal.printValue(result)
  else {
    const { matched, cancelled, failed } = result
    const lines = failed.map(({ executionId, error }) => `${executionId}: ${error}`)
    terminal.print(
      [
        dryRun ? `${matched} would be cancelled` : `${cancelled.length} of ${matched} cancelled`,
        ...lines,
      ].join('\n'),
    )
  }
  return EXIT.done
}
