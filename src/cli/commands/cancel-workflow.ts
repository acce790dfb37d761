import { connect } from '../connect.ts'
import { examples } from '../command.ts'
import type { CliCommand } from '../command.ts'
import { EXIT } from '../exit-code.ts'
import { explained } from '../explain.ts'

export const cancelWorkflow: CliCommand = {
  define: (command) => {
    command
      .argument('<workflow>', 'id of the workflow')
      .argument('<executionId>', 'id of the running or suspended execution')
      .option('--reason <text>', 'why; kept with the execution')
      .addHelpText('after', examples('cancel-workflow order 0190c2f0-… --reason "ordered twice"'))
  },
  run: async (call) => {
    const { args, options, terminal } = call
    const [id = '', executionId = ''] = args
    const { client } = await connect(call)
    const body = { reason: options['reason'] as string | undefined }
    const result = await explained(client.cancelExecution({ params: { id, executionId }, body }), client, id)
    if (terminal.json) terminal.printValue(result)
    else terminal.print(`${terminal.paint.yellow('✗')} ${id} is cancelled`)
    return EXIT.done
  },
}
