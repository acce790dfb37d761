import type { InstalledUpdates, UpdateList } from '../../contract/endpoints/project/updates.ts'
import { findUpdates } from '../../updates/find-updates.ts'
import { installUpdates } from '../../updates/install-updates.ts'
import { examples } from '../command.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { connect } from '../connect/connect.ts'
import { EXIT, exitCodes } from '../exit-code.ts'
import { ProgressLine } from '../print/progress-line.ts'
import { table } from '../print/table.ts'
import { oneLine } from '../print/terminal.ts'
import type { Terminal } from '../print/terminal.ts'
import { projectRoot } from '../options/load-config.ts'

export const checkUpdates: CliCommand = {
  define: (command) => {
    command
      .option('--install [name]', 'install the latest versions of all packages, or of one package')
      .addHelpText(
        'after',
        `\n${exitCodes({ [EXIT.done]: 'checked or installed', [EXIT.failed]: 'the installation failed', [EXIT.usage]: 'unknown package, or no package.json', [EXIT.unreachable]: 'the package registry is unreachable' })}`,
      )
      .addHelpText(
        'after',
        examples('check-updates', 'check-updates --install', 'check-updates --install zod --json'),
      )
  },
  run: async (call) => {
    const { options, terminal } = call
    const target = options['install'] as string | true | undefined
    if (target === undefined) printUpdates(await find(call), terminal)
    else printInstalled(await install(call, target === true ? undefined : target), terminal)
    return EXIT.done
  },
}

async function find(call: CommandCall): Promise<UpdateList> {
  const { options, terminal } = call
  const progress = new ProgressLine(terminal)
  progress.show('Checking for updates')
  try {
    if (options.url === undefined) return await findUpdates({ root: await projectRoot(options) })
    return await (await connect(call)).client.getUpdates()
  } finally {
    progress.stop()
  }
}

async function install(call: CommandCall, packageName: string | undefined): Promise<InstalledUpdates> {
  const { options, terminal, lifetime } = call
  if (options.url !== undefined)
    return (await connect(call)).client.installUpdates({
      body: { ...(packageName !== undefined && { packageName }) },
    })
  const root = await projectRoot(options)
  const abort = new AbortController()
  const onOutput = (line: string) => terminal.note(terminal.notePaint.dim(oneLine(line)))
  const installing = installUpdates({ root, packageName, onOutput, signal: abort.signal })
  lifetime.defer(async () => {
    abort.abort()
    // its error is reported below; wait until package.json and the lockfile are restored
    await installing.catch(() => undefined)
  })
  return installing
}

function printUpdates(found: UpdateList, terminal: Terminal): void {
  if (terminal.json) return terminal.printValue(found)
  if (!found.hasUpdates) return terminal.note('All packages are up to date.')
  const rows = found.updates.map(({ name, installed, wanted, latest, type }) => [
    name,
    installed,
    wanted,
    latest,
    type,
  ])
  terminal.print(table(['PACKAGE', 'INSTALLED', 'WANTED', 'LATEST', 'TYPE'], rows, terminal))
  terminal.note(
    terminal.notePaint.dim(
      terminal.withCommands(
        'Run `agentserver check-updates --install` to install all of them; add a name for one.',
      ),
    ),
  )
}

function printInstalled(installed: InstalledUpdates, terminal: Terminal): void {
  if (terminal.json) return terminal.printValue(installed)
  const { updated, restartRequired } = installed
  if (updated.length === 0) return terminal.note('All packages are up to date.')
  for (const { name, from, to } of updated)
    terminal.print(`${terminal.paint.green('✓')} ${name} ${from} → ${to}`)
  if (restartRequired) terminal.note('Restart the server to use them.')
}
