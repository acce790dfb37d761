import fs from 'node:fs'
import path from 'node:path'
import { mentionsOf } from '../../evals/cases/case-mentions.ts'
import { AppError } from '../../lib/errors.ts'
import { DATA_DIRECTORY } from '../../lib/files/private-files.ts'
import { connect } from '../connect/connect.ts'
import { examples } from '../command.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { EXIT, exitCodes } from '../exit-code.ts'
import { projectRoot } from '../options/load-config.ts'
import { canPrompt, confirm } from '../options/prompt.ts'

const HELP = `
Deletes everything that the server stores of a user: executions and agent runs that the user started, with the child
executions, their values, events, approvals, search entries, log records and spans; conversations, working memory and
sent events. What is running or waits is cancelled first. Kept cases with data of the user are named, and not changed.

Backups, exported traces and log files are not changed. It cannot be undone.
`

export const erase: CliCommand = {
  define: (command) => {
    command
      .requiredOption('--user <id>', 'id of the user')
      .option('-y, --yes', 'erase without asking')
      .addHelpText('after', HELP)
      .addHelpText(
        'after',
        `${examples('erase --user ann', 'erase --user ann@example.com --yes --json').trimStart()}\n\n${exitCodes(
          {
            [EXIT.done]: 'erased, or nothing was stored',
            [EXIT.usage]: 'nobody to confirm, or an execution that keeps being changed: run it again',
            [EXIT.unreachable]: 'the server is unreachable, or the credentials are rejected',
          },
        )}`,
      )
  },
  run: async (call) => {
    const { options, terminal } = call
    const userId = String(options['user'])
    const root = await projectRoot(options)
    const cases = await mentionsOf(root, userId)
    const { client } = await connect(call)
    if (!(await mayErase(userId, call))) {
      terminal.note('Nothing was erased.')
      return EXIT.done
    }
    const { rows, runs } = await client.eraseUser({ body: { userId, runs: cases.runs } })
    const erased = new Set(runs)
    const keptCases = cases.files
      .filter(({ isNamed, run }) => isNamed || erased.has(run ?? ''))
      .map(({ file }) => file)
    const copies = copiesIn(root)
    if (terminal.json) terminal.printValue({ userId, rows, keptCases, copies })
    else print({ userId, rows, keptCases, copies }, call)
    return EXIT.done
  },
}

async function mayErase(userId: string, { options, terminal }: CommandCall): Promise<boolean> {
  if (options['yes'] === true) return true
  if (canPrompt(terminal) && !terminal.json)
    return confirm(`Erase everything of the user "${userId}"? This cannot be undone`, terminal)
  throw new AppError('invalid_input', `Nobody can confirm that the user "${userId}" is erased`, {
    hint: 'Nothing was erased. Pass --yes to erase without asking.',
  })
}

/** Copies of databases that restores, migrations and lost files have left in the project. */
function copiesIn(root: string): string[] {
  const directory = path.join(root, DATA_DIRECTORY)
  if (!fs.existsSync(directory)) return []
  return fs
    .readdirSync(directory)
    .filter((name) => /\.(?:before-\d+|before-restore-[^.]+|rescued-[^.]+)$/.test(name))
    .map((name) => `${DATA_DIRECTORY}/${name}`)
}

interface Result {
  readonly userId: string
  readonly rows: Readonly<Record<string, number>>
  readonly keptCases: readonly string[]
  readonly copies: readonly string[]
}

function print({ userId, rows, keptCases, copies }: Result, { terminal }: CommandCall): void {
  const { paint } = terminal
  const counts = Object.entries(rows)
  if (counts.length === 0) terminal.print(`Nothing of the user "${userId}" is stored.`)
  else {
    terminal.print(`${paint.green('✓')} Erased the user "${userId}":`)
    for (const [name, count] of counts)
      terminal.print(`  ${count.toLocaleString('en-US').padStart(9)}  ${name}`)
  }
  const list = (title: string, files: readonly string[]) => {
    if (files.length > 0)
      terminal.print(`${paint.yellow(title)}\n${files.map((file) => `  ${file}`).join('\n')}`)
  }
  list('Kept cases with data of the user, to be deleted by hand:', keptCases)
  list('Copies of the database that may have data of the user:', copies)
}
