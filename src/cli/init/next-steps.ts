import path from 'node:path'
import { EXEC_PREFIX } from '../invocation.ts'
import { shellQuote } from '../print/shell-quote.ts'
import { oneLine } from '../print/terminal.ts'
import type { CommandCall } from '../command.ts'
import type { PackageManagerName } from '../../lib/packages/package-manager.ts'
import type { ProjectPlan } from './plan-project.ts'

/** A project that `init` created or extended. */
export interface CreatedProject {
  readonly plan: ProjectPlan
  /** The template's name. */
  readonly template: string
  readonly manager: PackageManagerName
  readonly installed: boolean
  /** Whether a Git repository was created. */
  readonly hasRepository: boolean
}

/** The commands to run when installing the dependencies failed. */
export function manualSteps({ plan, manager }: CreatedProject, call: CommandCall): string {
  return `To continue, run: ${[...changeDirectory(plan, call), `${manager} install`].join(' && ')}`
}

/** Prints what was created and the next steps. */
export function printCreated(created: CreatedProject, call: CommandCall): void {
  const { terminal } = call
  if (terminal.json) return terminal.printValue(asJson(created))
  const { plan, template, manager, installed, hasRepository } = created
  const { paint } = terminal
  terminal.print(`${paint.green('✓')} ${summary(created)} in ${oneLine(plan.directory)}`)
  if (plan.kept.length > 0) terminal.print(`  Kept existing files: ${plan.kept.join(', ')}`)
  if (plan.secrets.length > 0) terminal.print(`  Created random values in .env: ${plan.secrets.join(', ')}`)
  if (plan.keyVariable !== undefined) terminal.print(`  Saved the model key in .env: ${plan.keyVariable}`)
  if (plan.tarball !== undefined)
    terminal.print(
      `  The project depends on ${plan.tarball}, which is in its directory: commit it with the project`,
    )
  if (hasRepository) terminal.print('  Created a Git repository')
  const steps = [
    ...changeDirectory(plan, call),
    ...(installed ? [] : [`${manager} install`]),
    plan.joins ? `${EXEC_PREFIX[manager]} agentserver dev` : `${manager} run dev`,
  ]
  const guide = plan.kept.includes('README.md')
    ? `node_modules/agentserver/templates/${template}/README.md`
    : 'README.md'
  const edits = plan.kept.flatMap((name) => EDITS[name] ?? [])
  const next = [...edits, ...steps.map((step) => paint.cyan(step))]
  terminal.print(`\nNext:\n${next.map((line) => `  ${line}`).join('\n')}`)
  terminal.print(`See ${guide} to get started.`)
}

function summary({ plan, template }: CreatedProject): string {
  const { joins, packageName, files } = plan
  if (files.length === 0) return `All files of the template "${template}" already exist`
  const count = `${files.length} ${files.length === 1 ? 'file' : 'files'}`
  return `${joins ? 'Added' : `Created ${packageName} from`} the template "${template}": ${count}`
}

/** The changes to kept files that the template needs. They are left to the user, as `Next` says. */
const EDITS: Readonly<Record<string, string>> = {
  '.gitignore': 'Add .agentserver/ and .env to .gitignore.',
  'tsconfig.json':
    'Add "allowImportingTsExtensions": true to the compilerOptions in tsconfig.json; it was not changed. The template imports files with the ".ts" extension.',
}

/** The `cd` command from the caller's directory to the project. Empty if it is the same directory. */
function changeDirectory({ directory }: ProjectPlan, { options }: CommandCall): string[] {
  // --cwd changed the directory of this process, not that of the caller
  const target = options['cwd'] === undefined ? path.relative(process.cwd(), directory) : directory
  return target === '' ? [] : [`cd ${shellQuote(target)}`]
}

function asJson({ plan, template, manager, installed, hasRepository }: CreatedProject) {
  return {
    directory: plan.directory,
    template,
    packageName: plan.packageName,
    packageManager: manager,
    files: plan.files.map(({ name }) => name),
    overwritten: plan.conflicts,
    kept: plan.kept,
    dependencies: plan.dependencies,
    secrets: plan.secrets,
    modelKey: plan.keyVariable,
    tarball: plan.tarball,
    git: hasRepository,
    installed,
  }
}
