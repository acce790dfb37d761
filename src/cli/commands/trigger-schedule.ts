import { connect } from '../connect/connect.ts'
import { examples } from '../command.ts'
import type { CliCommand } from '../command.ts'
import { unknownNameHint, withHints } from '../error-hints.ts'
import { exitCodeOf, RUN_EXIT_CODES } from '../exit-code.ts'
import { followRun, interruptNote } from '../follow-run.ts'
import { printOutcome } from '../print/print-outcome.ts'

export const triggerSchedule: CliCommand = {
  define: (command) => {
    command
      .argument('<schedule>', 'id of the schedule')
      .addHelpText('after', `\n${RUN_EXIT_CODES}`)
      .addHelpText('after', examples('trigger-schedule report', 'trigger-schedule report --json'))
  },
  run: async (call) => {
    const [id = ''] = call.args
    const { terminal, lifetime } = call
    const { client, url, consoleLink } = await connect(call)
    lifetime.waitsFor = `Schedule "${id}"`
    const triggered = withHints(client.triggerSchedule({ params: { id } }), async ({ status }) => {
      if (status !== 404) return undefined
      const schedules = await client.listSchedules()
      return unknownNameHint(
        id,
        schedules.map((schedule) => schedule.id),
        'schedules',
      )
    })
    const { executionId } = await triggered
    const { workflowId } = await client.getSchedule({ params: { id } })
    lifetime.onInterrupt(interruptNote(executionId, { url, terminal }))
    const params = { id: workflowId, executionId }
    const events = client.followExecution({ params, query: { after: '0', include: 'contract' } })
    const result = await followRun(events, { name: workflowId, terminal, lifetime })
    await printOutcome(result, { workflowId, terminal, client, consoleLink })
    return exitCodeOf(result.status)
  },
}
