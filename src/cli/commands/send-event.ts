import { connect } from '../connect/connect.ts'
import { examples } from '../command.ts'
import type { CliCommand } from '../command.ts'
import { EXIT } from '../exit-code.ts'
import { readJsonArgument } from '../options/json-argument.ts'

export const sendEventCommand: CliCommand = {
  define: (command) => {
    command
      .argument('<name>', 'name of the event')
      .argument('[key]', 'key that the waiting steps must have')
      .option('--data <json>', 'data of the event: JSON, @file, or - for stdin')
      .option('--id <id>', 'id of the event; one that was sent before counts once')
      .addHelpText(
        'after',
        examples(
          `send-event payment A-1 --data '{"amount":40}'`,
          'send-event nightly-import-done --id import-2026-11-22',
        ),
      )
  },
  run: async (call) => {
    const { args, options, terminal } = call
    const [name = '', key] = args
    const { id, data: value } = options as Partial<Record<'id' | 'data', string>>
    const data =
      value === undefined ? undefined : await readJsonArgument({ option: '--data', value, terminal })
    const { client } = await connect(call)
    const sent = await client.sendEvent({ body: { name, key, data, id } })
    if (terminal.json) terminal.printValue(sent)
    else {
      const { eventId, resumed, started, cancelled } = sent
      const done = [
        `${executions(resumed)} resumed`,
        ...(started.length > 0 ? [`${executions(started)} started`] : []),
        ...(cancelled.length > 0 ? [`${executions(cancelled)} cancelled`] : []),
      ]
      terminal.print(
        [`Event ${eventId} sent, ${done.join(', ')}`, ...resumed, ...started, ...cancelled].join('\n'),
      )
    }
    return EXIT.done
  },
}

function executions({ length }: readonly string[]): string {
  return length === 1 ? '1 execution' : `${length} executions`
}
