import path from 'node:path'
import { AppError } from '../../lib/errors.ts'
import { detectPackageManager } from '../../lib/packages/package-manager.ts'
import { examples } from '../command.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { EXIT } from '../exit-code.ts'
import { canPrompt, confirm } from '../options/prompt.ts'
import { install } from '../init/install.ts'
import { goOnWith, printCreated } from '../init/next-steps.ts'
import { planProject } from '../init/plan-project.ts'
import type { ProjectPlan } from '../init/plan-project.ts'
import { DEFAULT_TEMPLATE, readTemplate, templateDescription, templateNames } from '../init/template.ts'
import { writeProject } from '../init/write-project.ts'

export const init: CliCommand = {
  define: (command) => {
    command
      .argument('[dir]', 'where the project goes; made when it is not there', '.')
      .option('--template <name>', 'what to start from', DEFAULT_TEMPLATE)
      .option('--force', 'overwrite files that are there')
      .option('--no-install', 'leave the dependencies to you; needs no network')
      .addHelpText('after', () => templateHelp())
      .addHelpText(
        'after',
        `\nFiles that are there are not overwritten. Where there is a package.json, it gets the dependencies that it
lacks and stays as it is otherwise.\n${examples(
          'init my-app',
          'init my-app --template approval',
          'init . --no-install',
        )}`,
      )
  },
  run: async (call) => {
    const { args, options, terminal, lifetime } = call
    const [dir = '.'] = args
    if (dir.trim() === '') throw new AppError('invalid_input', 'The directory has no name')
    const template = readTemplate(options['template'] as string)
    const plan = planProject(path.resolve(dir), template)
    await assertMayWrite(plan, call)
    writeProject(plan)
    const { name: manager } = await detectPackageManager(plan.directory)
    const created = { plan, template: template.name, manager, installed: options['install'] !== false }
    const hint = goOnWith(created, call)
    if (created.installed) {
      lifetime.whenInterrupted(() => terminal.note(`The files are there. ${hint}`))
      const giveUp = new AbortController()
      lifetime.defer(() => giveUp.abort())
      await install({ manager, directory: plan.directory, terminal, hint, signal: giveUp.signal })
    }
    printCreated(created, call)
    return EXIT.done
  },
}

function templateHelp(): string {
  const names = templateNames()
  const width = Math.max(...names.map((name) => name.length)) + 2
  const lines = names.map((name) => `  ${name.padEnd(width)}${templateDescription(name)}`)
  return `\nTemplates:\n${lines.join('\n')}`
}

/** Asks where somebody can be asked; otherwise only `--force` overwrites. */
async function assertMayWrite({ conflicts }: ProjectPlan, { options, terminal }: CommandCall): Promise<void> {
  if (conflicts.length === 0 || options['force'] === true) return
  const names = conflicts.join(', ')
  if (canPrompt() && !terminal.json && (await confirm(`Overwrite ${names}?`))) return
  throw new AppError('conflict', `Already there: ${names}`, {
    hint: 'Nothing was written. Choose another directory, or overwrite them with --force.',
  })
}
