import path from 'node:path'
import { AppError } from '../../lib/errors.ts'
import { detectPackageManager } from '../../lib/packages/package-manager.ts'
import { examples } from '../command.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { EXIT } from '../exit-code.ts'
import { canPrompt, confirm } from '../options/prompt.ts'
import { install } from '../init/install.ts'
import { manualSteps, printCreated } from '../init/next-steps.ts'
import { planProject } from '../init/plan-project.ts'
import type { ProjectPlan } from '../init/plan-project.ts'
import { DEFAULT_TEMPLATE, readTemplate, templateDescription, templateNames } from '../init/template.ts'
import { writeProject } from '../init/write-project.ts'

export const init: CliCommand = {
  define: (command) => {
    command
      .argument('[dir]', 'project directory; created if missing', '.')
      .option('--template <name>', 'template to copy', DEFAULT_TEMPLATE)
      .option('--force', 'overwrite existing files')
      .option('--no-install', 'skip installing dependencies; works offline')
      .addHelpText('after', () => templateHelp())
      .addHelpText(
        'after',
        `\nExisting files are not overwritten without --force. Missing dependencies are added to an existing package.json.\n${examples(
          'init my-app',
          'init my-app --template approval',
          'init . --no-install',
        )}`,
      )
  },
  run: async (call) => {
    const { args, options, terminal, lifetime } = call
    const [dir = '.'] = args
    if (dir.trim() === '') throw new AppError('invalid_input', 'The directory name is empty')
    const template = readTemplate(options['template'] as string)
    const plan = planProject(path.resolve(dir), template)
    await assertMayWrite(plan, call)
    writeProject(plan)
    const { name: manager } = await detectPackageManager(plan.directory)
    const created = { plan, template: template.name, manager, installed: options['install'] !== false }
    const hint = manualSteps(created, call)
    if (created.installed) {
      lifetime.onInterrupt(() => terminal.note(`The files were created. ${hint}`))
      const abort = new AbortController()
      lifetime.defer(() => abort.abort())
      await install({ manager, directory: plan.directory, terminal, hint, signal: abort.signal })
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

/** Prompts before overwriting files. Without a terminal, `--force` is required. */
async function assertMayWrite({ conflicts }: ProjectPlan, { options, terminal }: CommandCall): Promise<void> {
  if (conflicts.length === 0 || options['force'] === true) return
  const names = conflicts.join(', ')
  if (canPrompt(terminal) && !terminal.json && (await confirm(`Overwrite ${names}?`, terminal))) return
  throw new AppError('conflict', `Files already exist: ${names}`, {
    hint: 'No files were written. Choose another directory, or pass --force to overwrite them.',
  })
}
