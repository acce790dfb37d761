import type { ApiClient } from '../../client/api.ts'
import { CasePath } from '../../contract/endpoints/project/kept-cases.ts'
import type { KeptCase } from '../../contract/endpoints/project/kept-cases.ts'
import type { Case } from '../../contract/evals/case.ts'
import { caseFile } from '../../evals/keep/case-of-run.ts'
import { caseExists, caseText, hasCaseFile, writeCase } from '../../evals/keep/write-case.ts'
import { AppError } from '../../lib/errors.ts'
import { escapeJson } from '../../lib/escape-controls.ts'
import { examples } from '../command.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { connect } from '../connect/connect.ts'
import { orMissing } from '../connect/or-missing.ts'
import { EXIT, exitCodes } from '../exit-code.ts'
import { readJsonArgument } from '../options/json-argument.ts'
import { projectRoot } from '../options/load-config.ts'
import { canPrompt, confirm } from '../options/prompt.ts'

export const keepCase: CliCommand = {
  define: (command) => {
    command
      .argument('<id>', 'id of an execution or an agent run that has ended')
      .option('--name <name>', 'folder below cases/ (default: id of the workflow or the agent)')
      .option('--id <id>', 'name of the file, without .json (default: id of the run)')
      .option('--note <text>', 'note for readers of the case')
      .option('--expected <json>', 'expected output instead of that of the run: JSON, @file, or - for stdin')
      .option('--no-expected', 'expect no output, for scorers that need none')
      .option('--no-rules', 'compare times, UUIDs and redacted values of the output, too')
      .option('--dry-run', 'print the file, and write nothing')
      .option('-y, --yes', 'write the file without asking')
      .option('--force', 'overwrite an existing file')
      .addHelpText(
        'after',
        `
Writes cases/<name>/<id>.json from a real run: its input, options and resume data, with its output as what is expected.
Secrets are redacted. The file is printed before it is written; without a terminal, pass --yes. With --url, the run
is of that server, and the file is written to the project here.

${exitCodes({
  [EXIT.done]: 'written, or printed with --dry-run',
  [EXIT.usage]: 'unknown run, a run that has not ended, an existing file, or nobody to confirm',
  [EXIT.unreachable]: 'the server is unreachable, or the credentials are rejected',
})}`,
      )
      .addHelpText(
        'after',
        examples(
          'keep-case order-A-1',
          "keep-case order-A-1 --name orders --id large --note 'Needs approval' --yes",
          'keep-case order-A-1 --dry-run > case.json',
          `keep-case order-A-1 --expected '{"ok":true}'`,
        ),
      )
  },
  run: async (call) => {
    const { options, terminal, args } = call
    const [id = ''] = args
    const root = await projectRoot(options)
    const expected = await readExpected(call)
    const { client } = await connect(call, { readOnly: true })
    const found = await findRunCase(client, id)
    const file = fileOf(found, call)
    const content = edited(found.case, { call, expected })
    const isDryRun = options['dryRun'] === true
    if (!isDryRun && hasCaseFile(root, file) && options['force'] !== true) throw exists(file)
    if (!terminal.json) show(found, { content, file, call })
    const isWritten = !isDryRun && (await mayWrite(file, call))
    if (isWritten) writeCase(content, { root, file, overwrite: options['force'] === true })
    if (terminal.json)
      terminal.printValue({ path: file, case: content, written: isWritten, hints: found.hints })
    else if (isWritten) printNext(file, call)
    else if (!isDryRun) terminal.note('Nothing was written.')
    return EXIT.done
  },
}

/** The expected output that was passed; `undefined` for that of the run, `null` for none. */
async function readExpected({
  options,
  terminal,
}: CommandCall): Promise<{ readonly value: unknown } | undefined | null> {
  const value = options['expected'] as string | boolean | undefined
  if (value === false) return null
  if (typeof value !== 'string') return undefined
  return { value: await readJsonArgument({ option: '--expected', value, terminal }) }
}

function fileOf({ path }: KeptCase, { options }: CommandCall): string {
  const [, name = '', base = ''] = path.split('/')
  const { name: chosen = name, id = base.replace(/\.json$/, '') } = options as { name?: string; id?: string }
  const file = caseFile(chosen, id)
  const { success, error } = CasePath.safeParse(`cases/${chosen}/${id}.json`)
  if (success) return file
  throw new AppError('invalid_input', `${file}: ${error.issues[0]?.message}`, {
    hint: 'Change --name and --id.',
  })
}

interface Edit {
  readonly call: CommandCall
  readonly expected: Awaited<ReturnType<typeof readExpected>>
}

/** The case as the options change it. */
function edited(found: Case, { call: { options }, expected }: Edit): Case {
  const { expected: output, rules, from, ...rest } = found
  const wanted = expected === undefined ? output : expected?.value
  const compared = expected === undefined && options['rules'] !== false
  return {
    ...rest,
    ...(wanted !== undefined && { expected: wanted }),
    ...(rules && compared && { rules }),
    ...(typeof options['note'] === 'string' && { note: options['note'] }),
    ...(from && { from }),
  }
}

interface Shown {
  readonly content: Case
  readonly file: string
  readonly call: CommandCall
}

function show({ hints }: KeptCase, { content, file, call: { terminal } }: Shown): void {
  const { notePaint: paint } = terminal
  terminal.note(paint.bold(file))
  terminal.write(escapeJson(caseText(content)))
  const ignored = Object.keys(content.rules ?? {})
  if (ignored.length > 0)
    terminal.note(paint.dim(`Not compared, as they change or are redacted: ${ignored.join(', ')}`))
  for (const hint of hints) terminal.note(paint.yellow(hint))
  if (content.expected === undefined)
    terminal.note(
      paint.yellow('The case has no `expected`: add it, or scorers that need none; else eval refuses it'),
    )
}

async function mayWrite(file: string, { options, terminal }: CommandCall): Promise<boolean> {
  if (options['yes'] === true) return true
  if (canPrompt(terminal) && !terminal.json) return confirm(`Write ${file}?`, terminal)
  throw new AppError('invalid_input', `Nobody can confirm that ${file} is written`, {
    hint: 'Nothing was written. Pass --yes to write it, or --dry-run to print it.',
  })
}

function exists(file: string): AppError {
  return new AppError('conflict', caseExists(file).message, {
    hint: 'Pass --force to overwrite it, or --id to choose another name.',
  })
}

function printNext(file: string, { terminal }: CommandCall): void {
  terminal.note(`${terminal.notePaint.green('✓')} Wrote ${file}`)
  const next = `Run \`agentserver eval ${file}\` to check it.`
  terminal.note(terminal.notePaint.dim(terminal.withCommands(next)))
}

/**
 * The case of an execution, or of a run of one of the agents, by its id.
 *
 * @throws AppError `not_found`; ApiError 409 for a run that can't be kept.
 */
async function findRunCase(client: ApiClient, id: string): Promise<KeptCase> {
  const ofExecution = await orMissing(client.console.getExecutionCase({ params: { executionId: id } }))
  if (ofExecution) return ofExecution
  for (const agent of await client.listAgents()) {
    const found = await orMissing(client.console.getAgentRunCase({ params: { id: agent.id, runId: id } }))
    if (found) return found
  }
  throw new AppError('not_found', `No execution or agent run found with id "${id}"`, {
    hint: 'It may have been deleted by retention, or its agent is not in the configuration any more. Run `agentserver list executions` to list executions.',
  })
}
