import pino from 'pino'
import { checkOpen } from '../../engine/executions/check-open.ts'
import type { WorkflowFit } from '../../engine/executions/check-open.ts'
import { Registry } from '../../engine/registry.ts'
import { requireWorkflow } from '../error-hints.ts'
import { openStore } from '../../store/open.ts'
import { examples } from '../command.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { EXIT, exitCodes } from '../exit-code.ts'
import { loadConfig } from '../options/load-config.ts'
import { wholeNumberOption } from '../options/execution-options.ts'
import { ProgressLine } from '../print/progress-line.ts'

const HELP = `
Compares the executions that have not ended with the code of this project, before it is deployed: an execution whose record
does not fit waits, and runs nothing, until the code fits. It needs no server, and changes nothing. Code of functions outside
of recorded calls runs; no call does.
`

export const check: CliCommand = {
  define: (command) => {
    command
      .option('--workflow <id>', 'only executions of this workflow')
      .option('--limit <n>', 'most executions of each workflow that are looked at (default: all)')
      .addHelpText('after', HELP)
      .addHelpText(
        'after',
        `${examples('check', 'check --workflow order --json').trimStart()}\n\n${exitCodes({
          [EXIT.done]: 'all fit',
          [EXIT.failed]: 'some do not fit',
          [EXIT.usage]: 'invalid configuration, or an unknown workflow',
          [EXIT.unreachable]: 'the database cannot be read',
        })}`,
      )
  },
  run: async (call) => {
    const { options, terminal, lifetime } = call
    terminal.protectStdout()
    const limit =
      options['limit'] === undefined ? undefined : wholeNumberOption('--limit', options['limit'], 10_000_000)
    const workflowId = options['workflow'] as string | undefined
    const { project, config } = await loadConfig(call)
    const registry = new Registry(config.workflows, config.agents, config.schedules, config)
    if (workflowId !== undefined) requireWorkflow(config.workflows, workflowId)
    const store = await openStore({ url: config.database, root: project.root, readOnly: true })
    lifetime.defer(() => store.close())
    const progress = new ProgressLine(terminal)
    const workflows = await checkOpen({
      store,
      registry,
      logger: pino({ enabled: false }),
      workflowId,
      limit,
      onProgress: (checked) => progress.show(`Checked ${checked.toLocaleString('en-US')} executions`),
    }).finally(() => progress.stop())
    // those whose input does not fit have kept the configuration from loading
    const schedules = { fits: config.schedules.length, misfits: 0 }
    if (terminal.json) terminal.printValue({ workflows, schedules })
    else print(workflows, call)
    return workflows.some(({ misfits }) => misfits > 0) ? EXIT.failed : EXIT.done
  },
}

function print(workflows: readonly WorkflowFit[], { terminal }: CommandCall): void {
  const { paint } = terminal
  if (workflows.length === 0) return terminal.print('No executions are open.')
  for (const { id, fits, misfits, examples: found } of workflows) {
    const mark = misfits > 0 ? paint.red('✗') : paint.green('✓')
    const count = (n: number) => n.toLocaleString('en-US')
    terminal.print(`${mark} ${id}: ${count(fits)} fit${misfits > 0 ? `, ${count(misfits)} do not` : ''}`)
    for (const { executionId, stepId, reason } of found)
      terminal.print(`    ${executionId}${stepId && `, step "${stepId}"`}: ${reason}`)
  }
}
