import { Option } from 'commander'
import { PACKAGE_MANAGERS } from '../../lib/packages/package-manager.ts'
import type { CliCommand } from '../command.ts'
import { EXIT } from '../exit-code.ts'
import { chooseProject } from '../init/choose-project.ts'
import type { ProjectDefaults } from '../init/choose-project.ts'
import { createRepository } from '../init/create-repository.ts'
import { install } from '../init/install.ts'
import { manualSteps, printCreated } from '../init/next-steps.ts'
import { DEFAULT_TEMPLATE, templateDescription, templateNames } from '../init/template.ts'
import { writeProject } from '../init/write-project.ts'

/** `agentserver init`: creates a project, or adds the files of a template to an existing one. */
export const init = commandOf(
  { directory: '.', extendsProjects: true },
  {
    called: 'agentserver init',
    about:
      'In a directory with a package.json, the files of the template and the missing dependencies are added. Another directory must be empty, unless --force is passed.',
  },
)

/** `create-agentserver`: creates a project. */
export const create = commandOf(
  { directory: 'my-agentserver', extendsProjects: false },
  {
    called: 'npm create agentserver@latest',
    about:
      'The directory must be empty, unless --force is passed. To extend an existing project, install agentserver there and run `agentserver init`.',
  },
)

interface HelpTexts {
  readonly called: string
  readonly about: string
}

function commandOf(defaults: ProjectDefaults, { called, about }: HelpTexts): CliCommand {
  return {
    define: (command) => {
      // npm keeps the options before -- to itself
      const gap = called.startsWith('npm ') ? ' --' : ''
      const examples = [
        `${called} my-app`,
        `${called} my-app${gap} --template approval --package-manager pnpm`,
        `${called} my-app${gap} --yes --no-install`,
      ]
      command
        .argument('[dir]', `project directory; created if missing (default: ${defaults.directory})`)
        .option('--template <name>', `template to copy (default: ${DEFAULT_TEMPLATE})`)
        .addOption(
          new Option(
            '--package-manager <name>',
            'package manager (default: that of the directory, else the one that runs this)',
          ).choices(PACKAGE_MANAGERS),
        )
        .option(
          '--model-key <key>',
          'key of OpenAI, Anthropic or Google, or NAME=key, to save in .env: text, @file, or - for stdin',
        )
        .option('--git', 'create a Git repository; --yes implies it')
        .option('--no-git', 'create no Git repository')
        .option('--no-install', 'skip installing dependencies; works offline')
        .option('--agentserver <source>', 'version or .tgz file of agentserver that the project depends on')
        .option('--force', 'overwrite existing files')
        .option('-y, --yes', 'use the defaults instead of prompting')
        .addHelpText('after', () => templateHelp())
        .addHelpText(
          'after',
          `\nIn a terminal, the options that are not passed are prompted for. ${about}\n\nExamples:\n${examples.map((line) => `  $ ${line}`).join('\n')}`,
        )
    },
    run: async (call) => {
      const { options, terminal, lifetime } = call
      const { plan, template, manager, git } = await chooseProject(call, defaults)
      writeProject(plan)
      const hasRepository = git && (await createRepository(plan.directory, terminal))
      const installed = options['install'] !== false
      const created = { plan, template, manager, installed, hasRepository }
      const hint = manualSteps(created, call)
      if (installed) {
        lifetime.onInterrupt(() => terminal.note(`The files were created. ${hint}`))
        const abort = new AbortController()
        lifetime.defer(() => abort.abort())
        await install({ manager, directory: plan.directory, terminal, hint, signal: abort.signal })
      }
      printCreated(created, call)
      return EXIT.done
    },
  }
}

function templateHelp(): string {
  const names = templateNames()
  const width = Math.max(...names.map((name) => name.length)) + 2
  const lines = names.map((name) => `  ${name.padEnd(width)}${templateDescription(name)}`)
  return `\nTemplates:\n${lines.join('\n')}`
}
