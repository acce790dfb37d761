import path from 'node:path'
import type { ApiClient } from '../../client/api.ts'
import { CasePath } from '../../contract/endpoints/project/kept-cases.ts'
import { targetName } from '../../contract/evals/case.ts'
import type { CaseTarget } from '../../contract/evals/case.ts'
import { casesOfRows, parseTarget } from '../../evals/import/cases-of-rows.ts'
import type { ImportedCase, KnownTargets } from '../../evals/import/cases-of-rows.ts'
import type { DataSet } from '../../evals/import/data-row.ts'
import { readDataSet } from '../../evals/import/read-data-set.ts'
import { writeCases } from '../../evals/import/write-cases.ts'
import { targetIds } from '../../evals/run/target-ids.ts'
import { AppError } from '../../lib/errors.ts'
import { examples } from '../command.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { connect } from '../connect/connect.ts'
import { EXIT, exitCodes } from '../exit-code.ts'
import { projectRoot } from '../options/load-config.ts'
import { ProgressLine } from '../print/progress-line.ts'
import { oneLine } from '../print/terminal.ts'

export const importCases: CliCommand = {
  define: (command) => {
    command
      .argument('<file>', 'data set, .csv or .jsonl')
      .option('--name <name>', 'folder below cases/ (default: name of the file)')
      .option('--target <target>', 'target of rows without one: workflow:<id>, agent:<id> or tool:<name>')
      .option('--force', 'overwrite existing files')
      .option('--dry-run', 'check the file, and write nothing')
      .addHelpText(
        'after',
        `
Writes a file cases/<name>/<id>.json for each row. The columns, or the members of the JSON objects, are target, input,
expected, note and id; only input is required. A target is workflow:<id>, agent:<id>, tool:<name>, or JSON. In CSV,
input and expected are JSON, else text. Without the column id, it is a hash of target and input, so that a row keeps its
file. All rows are checked first: if one is not valid, nothing is imported.

${exitCodes({
  [EXIT.done]: 'all rows were imported, or are valid with --dry-run',
  [EXIT.usage]: 'a row is not valid, files exist, or the configuration is not valid',
  [EXIT.unreachable]: 'the server is unreachable, or the credentials are rejected',
  [EXIT.interrupted]: 'interrupted; nothing was imported',
})}`,
      )
      .addHelpText(
        'after',
        examples(
          'import-cases orders.csv',
          'import-cases questions.jsonl --name support --target agent:support',
          'import-cases orders.csv --force',
        ),
      )
  },
  run: async (call) => {
    const { options, terminal, args } = call
    const [file = ''] = args
    const target = targetOption(options['target'] as string | undefined)
    const data = await readDataSet(file)
    const root = await projectRoot(options)
    const name = nameOf(file, options['name'] as string | undefined)
    const { client } = await connect(call, { readOnly: true })
    const known = await knownTargets(client, data, target)
    const cases = casesOfRows(data, { file, name, target, known })
    const isDryRun = options['dryRun'] === true
    if (!isDryRun) await write(cases, { root, name, call })
    if (terminal.json)
      terminal.printValue({
        name,
        cases: cases.length,
        written: !isDryRun,
        targets: counted(cases),
        ignored: data.others,
      })
    else printSummary(cases, { name, ignored: data.others, isDryRun, call })
    return EXIT.done
  },
}

function targetOption(text: string | undefined): CaseTarget | undefined {
  if (text === undefined) return undefined
  const target = parseTarget(text)
  if (target) return target
  throw new AppError('invalid_input', '--target must be workflow:<id>, agent:<id> or tool:<name>')
}

function nameOf(file: string, chosen: string | undefined): string {
  const name = chosen ?? path.parse(file).name.replaceAll(/[^\w.-]+/g, '-')
  if (CasePath.safeParse(`cases/${name}/x.json`).success) return name
  throw new AppError('invalid_input', `"${name}" can't be the name of a folder of cases`, {
    hint: 'Pass --name with letters, digits, ".", "_" and "-", and no device of Windows, such as con.',
  })
}

interface Writing {
  readonly root: string
  readonly name: string
  readonly call: CommandCall
}

async function write(
  cases: readonly ImportedCase[],
  { root, name, call: { options, terminal, lifetime } }: Writing,
): Promise<void> {
  const abort = new AbortController()
  const progress = new ProgressLine(terminal)
  const writing = writeCases(cases, {
    root,
    name,
    overwrite: options['force'] === true,
    signal: abort.signal,
    onProgress: (written) => progress.show(`${written} of ${cases.length} cases`),
  })
  lifetime.defer(async () => {
    abort.abort()
    // its error is reported below; what was written is removed first
    await writing.catch(() => undefined)
  })
  try {
    await writing
  } finally {
    progress.stop()
  }
}

/** The number of cases by their targets. */
function counted(cases: readonly ImportedCase[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const { case: one } of cases)
    counts.set(targetName(one.target), (counts.get(targetName(one.target)) ?? 0) + 1)
  return Object.fromEntries(counts)
}

interface Summary {
  readonly name: string
  readonly ignored: readonly string[]
  readonly isDryRun: boolean
  readonly call: CommandCall
}

function printSummary(
  cases: readonly ImportedCase[],
  { name, ignored, isDryRun, call: { terminal } }: Summary,
): void {
  const { paint, notePaint } = terminal
  const found = isDryRun ? `valid; nothing was written` : `imported to cases/${name}`
  terminal.print(`${paint.green('✓')} ${numberOf(cases.length)} ${found}`)
  for (const [target, count] of Object.entries(counted(cases))) terminal.print(`  ${target}: ${count}`)
  const without = cases.filter(({ case: one }) => one.expected === undefined).length
  if (without > 0)
    terminal.note(
      notePaint.yellow(`${numberOf(without)} without \`expected\`: they need scorers that require none`),
    )
  if (ignored.length > 0)
    terminal.note(notePaint.yellow(`Columns that were not imported: ${oneLine(ignored.join(', '))}`))
  if (!isDryRun)
    terminal.note(
      notePaint.dim(terminal.withCommands(`Run \`agentserver eval 'cases/${name}/*.json'\` to run them.`)),
    )
}

function numberOf(count: number): string {
  return count === 1 ? '1 case' : `${count} cases`
}

/** What the project has, with the input schemas of the targets that a data set names. */
async function knownTargets(
  client: ApiClient,
  { rows }: DataSet,
  given: CaseTarget | undefined,
): Promise<KnownTargets> {
  const ids = await targetIds(client)
  const named = [given, ...rows.map(({ values }) => parseTarget(values.target))]
  const workflows = new Set(named.flatMap((one) => (one && 'workflow' in one ? one.workflow : [])))
  const objects = new Set<string>()
  for (const id of workflows) {
    if (!ids['workflow']?.includes(id)) continue
    const { inputSchema } = await client.getWorkflow({ params: { id } })
    if (inputSchema['type'] === 'object') objects.add(`workflow ${id}`)
  }
  for (const { name, inputSchema } of await client.listTools())
    if (inputSchema['type'] === 'object') objects.add(`tool ${name}`)
  return { ids, wantsObject: (target) => objects.has(targetName(target)) }
}
