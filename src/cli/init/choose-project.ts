import fs from 'node:fs'
import path from 'node:path'
import { AppError } from '../../lib/errors.ts'
import { detectPackageManager } from '../../lib/packages/package-manager.ts'
import type { PackageManagerName } from '../../lib/packages/package-manager.ts'
import type { CommandCall } from '../command.ts'
import { canPrompt } from '../options/prompt.ts'
import { readTextArgument } from '../options/json-argument.ts'
import { readModelKey } from './model-key.ts'
import { ownDependency } from './own-dependency.ts'
import { assertDirectory, planProject } from './plan-project.ts'
import type { ProjectPlan } from './plan-project.ts'
import type { Questions } from './questions.ts'
import { DEFAULT_TEMPLATE, readTemplate } from './template.ts'

/** How `agentserver init` and `create-agentserver` differ. */
export interface ProjectDefaults {
  /** The directory, if none is named. */
  readonly directory: string
  /** Whether a template may be added to an existing project. */
  readonly extendsProjects: boolean
}

/** What is to be created. Nothing was written yet. */
export interface ChosenProject {
  readonly plan: ProjectPlan
  /** The template's name. */
  readonly template: string
  readonly manager: PackageManagerName
  readonly git: boolean
}

/**
 * Decides what to create: by the options, in a terminal by questions, otherwise by defaults.
 *
 * @throws AppError `conflict` for a directory that is not empty, or for files that would be overwritten.
 */
export async function chooseProject(call: CommandCall, defaults: ProjectDefaults): Promise<ChosenProject> {
  const { args, options, terminal } = call
  const asks = canPrompt(terminal) && !terminal.json && options['yes'] !== true
  const questions = asks ? new (await import('./questions.ts')).Questions(terminal) : undefined
  const check = (directory: string) => {
    assertDirectory(directory)
    if (options['force'] !== true) assertUsable(directory, defaults)
  }
  const given = options['template'] as string | undefined
  const named = given === undefined ? undefined : readTemplate(given)
  const directory = path.resolve(await directoryOf(args[0], { questions, check, defaults }))
  check(directory)
  const joins = fs.existsSync(path.join(directory, 'package.json'))
  const template = named ?? readTemplate((await questions?.template()) ?? DEFAULT_TEMPLATE)
  const found = await detectPackageManager(directory)
  const manager =
    (options['packageManager'] as PackageManagerName | undefined) ??
    (joins ? undefined : await questions?.packageManager(found.name)) ??
    found.name
  const key = (await modelKeyOf(call)) ?? (await questions?.modelKey()) ?? ''
  const git =
    (options['git'] as boolean | undefined) ??
    (joins ? false : ((await questions?.git()) ?? options['yes'] === true))
  const plan = planProject(directory, template, {
    own: await ownDependency({ source: options['agentserver'] as string | undefined }),
    modelKey: key === '' ? undefined : readModelKey(key),
  })
  await assertMayWrite(plan, { questions, force: options['force'] === true })
  return { plan, template: template.name, manager, git }
}

interface DirectoryContext {
  readonly questions: Questions | undefined
  readonly check: (directory: string) => void
  readonly defaults: ProjectDefaults
}

async function directoryOf(
  named: string | undefined,
  { questions, check, defaults }: DirectoryContext,
): Promise<string> {
  if (named?.trim() === '') throw new AppError('invalid_input', 'The directory name is empty')
  if (named !== undefined) return named
  const joins = defaults.extendsProjects && fs.existsSync('package.json')
  return !joins && questions ? questions.directory('my-agentserver', check) : defaults.directory
}

/** What other tools write before there is a project. */
const UNRELATED = new Set(['.git', '.hg', '.DS_Store', 'Thumbs.db', '.idea', '.vscode', 'LICENSE'])
const MAX_NAMES = 5

function assertUsable(directory: string, { extendsProjects }: ProjectDefaults): void {
  const names = namesIn(directory).filter((name) => !UNRELATED.has(name))
  const isProject = names.includes('package.json')
  if (names.length === 0 || (isProject && extendsProjects)) return
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : ''
  throw new AppError(
    'conflict',
    `${directory} is not empty: ${names.slice(0, MAX_NAMES).join(', ')}${more}`,
    {
      hint: `No files were written. Choose another directory${isProject ? ', install agentserver in this project and run `npx agentserver init` there' : ''}, or pass --force to add the files of the template, overwriting those with the same name.`,
    },
  )
}

function namesIn(directory: string): string[] {
  try {
    return fs.readdirSync(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

async function modelKeyOf({ options, terminal }: CommandCall): Promise<string | undefined> {
  const value = options['modelKey'] as string | undefined
  return value === undefined
    ? undefined
    : (await readTextArgument({ option: '--model-key', value, terminal })).trim()
}

interface OverwriteOptions {
  readonly questions: Questions | undefined
  readonly force: boolean
}

/** Asks before files of an existing project are overwritten. Without a terminal, `--force` is required. */
async function assertMayWrite(
  { conflicts }: ProjectPlan,
  { questions, force }: OverwriteOptions,
): Promise<void> {
  if (conflicts.length === 0 || force || (await questions?.overwrite(conflicts)) === true) return
  throw new AppError('conflict', `Files already exist: ${conflicts.join(', ')}`, {
    hint: 'No files were written. Choose another directory, or pass --force to overwrite them.',
  })
}
