import { readCase } from '../../evals/cases/case-files.ts'
import { targetName } from '../../contract/evals/case.ts'
import { AppError } from '../../lib/errors.ts'
import { crashText } from '../../server/proof/findings.ts'
import type { FindingKind, ProofFinding, ProofReport } from '../../server/proof/findings.ts'
import { prove } from '../../server/proof/proof.ts'
import { examples } from '../command.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { requireWorkflow } from '../error-hints.ts'
import { EXIT, exitCodes } from '../exit-code.ts'
import { PROJECT_CODE } from '../lifetime.ts'
import { loadConfig } from '../options/load-config.ts'
import { wholeNumberOption } from '../options/execution-options.ts'
import { ProgressLine } from '../print/progress-line.ts'

const HELP = `
Runs the workflow with the input and the resume data of a case, and again with a crash before, during and after each
recorded call: steps of a chain, and calls of step. It needs no server, and its database is in memory; the effects of the
code are real. Finds requests with fetch that are repeated without the header Idempotency-Key, results that a crash
changes, runs that do not end, and calls whose ids or order change. Models are asked once.

The case is a file as of eval: { "target": { "workflow": "order" }, "input": …, "resume": [ … ] }. Test functions that are
side effects, and workflows that wait for events, with crashEveryStep() of agentserver/testing.
`

export const proveCommand: CliCommand = {
  define: (command) => {
    command
      .argument('<workflow>', 'id of the workflow')
      .requiredOption('--case <file>', 'case file with the input and the resume data')
      .option('--seed <n>', 'chooses delays, and with them the winners of races', '1')
      .addHelpText('after', HELP)
      .addHelpText(
        'after',
        `${examples('prove order --case cases/order/large.json', 'prove order --case cases/order/large.json --seed 7 --json').trimStart()}\n\n${exitCodes(
          {
            [EXIT.done]: 'nothing was found',
            [EXIT.failed]: 'something was found',
            [EXIT.usage]: 'unknown workflow, broken case, or input or resume data that the workflow refuses',
            [EXIT.interrupted]: 'interrupted',
          },
        )}`,
      )
  },
  run: async (call) => {
    const [workflowId = ''] = call.args
    const { options, terminal, lifetime } = call
    const seed = wholeNumberOption('--seed', options['seed'])
    const file = options['case'] as string
    const given = await readCase(file)
    terminal.protectStdout()
    lifetime.waitsFor = PROJECT_CODE
    const { project, config } = await loadConfig(call)
    requireWorkflow(config.workflows, workflowId)
    if (targetName(given.target) !== `workflow ${workflowId}`)
      throw new AppError(
        'invalid_input',
        `${file} is a case of ${targetName(given.target)}, not of workflow ${workflowId}`,
      )
    const progress = new ProgressLine(terminal)
    const report = await prove({
      config,
      root: project.root,
      workflowId,
      input: given.input,
      options: given.options ?? {},
      resume: given.resume ?? [],
      events: [],
      effects: {},
      seed,
      rules: given.rules ?? {},
      onRun: ({ run, total, found }) =>
        progress.show(`Run ${run}${total === undefined ? '' : ` of ${total}`}, ${found} found`),
    }).finally(() => progress.stop())
    const isClean = Object.values(lists(report)).every((list) => list.length === 0)
    if (terminal.json) terminal.printValue({ ...report, seed })
    else print(report, call)
    return isClean ? EXIT.done : EXIT.failed
  },
}

function lists({ runs: _, ...found }: ProofReport): Record<FindingKind, readonly ProofFinding[]> {
  return found
}

const TITLES: Readonly<Record<FindingKind, string>> = {
  repeatedWithoutKey: 'Repeated without an idempotency key',
  differentResults: 'Different results',
  unfinished: 'Runs that do not end',
  unstableIds: 'Calls that change from pass to pass',
}

function print(report: ProofReport, { terminal }: CommandCall): void {
  const { paint } = terminal
  for (const [kind, found] of Object.entries(lists(report))) {
    if (found.length === 0) continue
    terminal.print(paint.bold(TITLES[kind as FindingKind]))
    for (const { crash, message, runs } of found) {
      const at = crash ? `crash ${crashText(crash)}` : 'no crash'
      terminal.print(`${paint.red('✗')} ${at}: ${message}${runs > 1 ? paint.dim(` (${runs} runs)`) : ''}`)
    }
  }
  const count = Object.values(lists(report)).reduce((sum, { length }) => sum + length, 0)
  const runs = `${report.runs} ${report.runs === 1 ? 'run' : 'runs'}`
  if (count === 0)
    terminal.print(`${paint.green('✓')} ${runs}: nothing is repeated, changed or left open by a crash`)
  else terminal.print(`${runs}, ${count} found`)
}
