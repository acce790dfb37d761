import path from 'node:path'
import { oneLine } from '../print/terminal.ts'
import type { CommandCall } from '../command.ts'
import type { PackageManagerName } from '../../lib/packages/package-manager.ts'
import type { ProjectPlan } from './plan-project.ts'

/** What was done. */
export interface CreatedProject {
  readonly plan: ProjectPlan
  /** The template's name. */
  readonly template: string
  readonly manager: PackageManagerName
  readonly installed: boolean
}

/** How to go on by hand when the dependencies are not installed. */
export function goOnWith({ plan, manager }: CreatedProject, call: CommandCall): string {
  return `Go on with: ${[...enter(plan, call), `${manager} install`].join(' && ')}`
}

/** Prints what was done and, last, what comes next. */
export function printCreated(created: CreatedProject, call: CommandCall): void {
  const { terminal } = call
  if (terminal.json) return terminal.printValue(asJson(created))
  const { plan, template, manager, installed } = created
  const { paint } = terminal
  terminal.print(`${paint.green('✓')} ${whatWasDone(created)} in ${oneLine(plan.directory)}`)
  if (plan.kept.length > 0) terminal.print(`  Left as they are: ${plan.kept.join(', ')}`)
  for (const name of plan.kept) if (name in REMINDERS) terminal.print(`  ${REMINDERS[name]}`)
  const steps = [
    ...enter(plan, call),
    ...(installed ? [] : [`${manager} install`]),
    plan.joins ? `${RUN[manager]} agentserver dev` : `${manager} run dev`,
  ]
  const guide = plan.kept.includes('README.md')
    ? `node_modules/agentserver/templates/${template}/README.md`
    : 'README.md'
  terminal.print(`\nNext:\n${steps.map((step) => `  ${paint.cyan(step)}`).join('\n')}`)
  terminal.print(`${guide} shows what to do with it.`)
}

function whatWasDone({ plan, template }: CreatedProject): string {
  const { joins, packageName, files } = plan
  if (files.length === 0) return `Nothing is missing of the template "${template}"`
  const count = `${files.length} ${files.length === 1 ? 'file' : 'files'}`
  return `${joins ? 'Added' : `Created ${packageName} from`} the template "${template}": ${count}`
}

/** What the template's file would have brought. */
const REMINDERS: Readonly<Record<string, string>> = {
  '.gitignore': 'Keep .agentserver/ and .env out of git.',
  'tsconfig.json': 'The code imports files by their ".ts" names: that takes "allowImportingTsExtensions".',
}

/** How to run a command that a dependency brings. */
const RUN: Readonly<Record<PackageManagerName, string>> = {
  npm: 'npx',
  pnpm: 'pnpm exec',
  yarn: 'yarn run',
  bun: 'bunx',
}

/** The step into the project, from where the caller is; none when they are there. */
function enter({ directory }: ProjectPlan, { options }: CommandCall): string[] {
  // --cwd moved this process, not the caller
  const way = options['cwd'] === undefined ? path.relative(process.cwd(), directory) : directory
  if (way === '') return []
  if (/^[\w./\\:@~-]+$/.test(way)) return [`cd ${way}`]
  return [process.platform === 'win32' ? `cd "${way}"` : `cd '${way.replaceAll("'", String.raw`'\''`)}'`]
}

function asJson({ plan, template, manager, installed }: CreatedProject) {
  return {
    directory: plan.directory,
    template,
    packageName: plan.packageName,
    packageManager: manager,
    files: plan.files.map(({ name }) => name),
    overwritten: plan.conflicts,
    kept: plan.kept,
    dependencies: plan.dependencies,
    installed,
  }
}
