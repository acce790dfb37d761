import fs from 'node:fs'
import path from 'node:path'
import { resolveCommand } from 'package-manager-detector/commands'
import { detectPackageManager, lockfilesOf, projectDirectories } from '../lib/packages/package-manager.ts'
import type { PackageManagerName } from '../lib/packages/package-manager.ts'
import type { DeclaredPackage, RangeStyle } from './project-package.ts'
import { styleOf } from './project-package.ts'
import { commandFailed } from './run-command.ts'
import type { RunCommand } from './run-command.ts'

/** The package manager, and for Yarn its generation: Yarn 1 and later versions have different commands. */
type Agent = PackageManagerName | 'yarn@berry'

/** The package manager of a project. */
export interface ProjectManager {
  readonly name: PackageManagerName
  readonly agent: Agent
  /** Files that an installation may change or create beside `node_modules`, absolute. */
  readonly files: readonly string[]
}

/** A package that is outdated, as its package manager reports it. */
export interface OutdatedPackage {
  readonly name: string
  /** The latest versions in the ranges of the project, and of packages that depend on it. */
  readonly wanted: readonly string[]
  readonly latest: string
}

export async function findManager(directory: string): Promise<ProjectManager> {
  const { name, yarnClassic } = await detectPackageManager(directory)
  const places = projectDirectories(directory)
  const isBerry = name === 'yarn' && !(yarnClassic ?? places.some(hasClassicLockfile))
  const files = ['package.json', 'pnpm-workspace.yaml', ...lockfilesOf(name)]
  return {
    name,
    agent: isBerry ? 'yarn@berry' : name,
    files: places.flatMap((place) => files.map((file) => path.join(place, file))),
  }
}

function hasClassicLockfile(directory: string): boolean {
  const file = path.join(directory, 'yarn.lock')
  if (!fs.existsSync(file) || fs.existsSync(path.join(directory, '.yarnrc.yml'))) return false
  return !fs.readFileSync(file, 'utf8').includes('__metadata:')
}

interface Outdated {
  readonly args: readonly string[]
  /** How a package is named; by its name unless given. */
  readonly argument?: (declared: DeclaredPackage) => string
  readonly read: (output: string) => readonly OutdatedPackage[]
}

/** `npm outdated --json` has an object with an entry per package, or an array with one per dependent; pnpm the same. */
const READ_JSON: Outdated['read'] = (output) =>
  Object.entries((output.trim() === '' ? {} : JSON.parse(output)) as object).flatMap(
    ([name, found]: [string, unknown]) => {
      const entries = [found].flat()
      const latest = textIn(entries[0], 'latest')
      return latest === undefined
        ? []
        : [{ name, wanted: entries.flatMap((entry) => textIn(entry, 'wanted') ?? []), latest }]
    },
  )

/** `| zod (dev) | 3.0.0 | 3.25.1 | 4.1.0 |`: a row of the table that is bun's only format. */
const BUN_ROW = /^\s*[|│]\s*(\S+)(?:\s+\([a-z]+\))?\s*[|│]\s*\d\S*\s*[|│]\s*(\d\S*)\s*[|│]\s*(\d\S*)\s*[|│]/

/** The arguments with which each package manager lists what is outdated. Later versions of Yarn have no `outdated`. */
const OUTDATED: Readonly<Record<Agent, Outdated>> = {
  npm: { args: ['outdated', '--json'], read: READ_JSON },
  pnpm: { args: ['outdated', '--json'], read: READ_JSON },
  yarn: {
    args: ['outdated', '--json'],
    // {"type":"table","data":{"head":["Package","Current","Wanted","Latest",…],"body":[["zod","3.0.0","3.25.1","4.1.0",…]]}}
    read: (output) =>
      jsonLines(output).flatMap(({ type, data }) => {
        const { body } = (type === 'table' ? data : {}) as { body?: readonly string[][] }
        return (body ?? []).map(([name = '', , wanted = '', latest = '']) => ({
          name,
          wanted: [wanted],
          latest,
        }))
      }),
  },
  'yarn@berry': {
    args: ['npm', 'info', '--json', '--fields', 'name,version,dist-tags'],
    argument: ({ name, range }) => `${name}@${range}`,
    read: (output) =>
      jsonLines(output).flatMap((line) => {
        const [name = '', version = ''] = [textIn(line, 'name'), textIn(line, 'version')]
        const latest = textIn(line['dist-tags'], 'latest')
        return latest === undefined ? [] : [{ name, wanted: [version], latest }]
      }),
  },
  bun: {
    args: ['outdated'],
    read: (output) =>
      output.split('\n').flatMap((line) => {
        const [, name, wanted, latest] = BUN_ROW.exec(line) ?? []
        return name === undefined || wanted === undefined || latest === undefined
          ? []
          : [{ name, wanted: [wanted], latest }]
      }),
  },
}

/**
 * The packages that are outdated, and perhaps others.
 *
 * @throws AppError `install_failed` when the package manager fails.
 */
export async function findOutdated(
  { name, agent }: ProjectManager,
  packages: readonly DeclaredPackage[],
  run: RunCommand,
): Promise<readonly OutdatedPackage[]> {
  const { args, argument = (declared) => declared.name, read } = OUTDATED[agent]
  const result = await run(name, [...args, ...packages.map(argument)])
  let found: readonly OutdatedPackage[] | undefined
  try {
    found = read(result.stdout)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  // npm, pnpm and Yarn 1 exit with 1 also when they have found updates
  const isReport = result.exitCode === 0 || (result.exitCode === 1 && found !== undefined && found.length > 0)
  if (found && isReport) return found
  throw commandFailed('Checking for updates failed', result)
}

/** The versions of Yarn's direct dependencies, which Plug'n'Play keeps in archives. */
export async function plugAndPlayVersions(run: RunCommand): Promise<ReadonlyMap<string, string>> {
  const result = await run('yarn', ['info', '--json'])
  if (result.exitCode !== 0) throw commandFailed('Checking for updates failed', result)
  // {"value":"ms@npm:2.0.0","children":{"Version":"2.0.0"}}
  const versions = jsonLines(result.stdout).flatMap(({ value, children }) => {
    const name = /^(.+)@npm:/.exec(String(value))?.[1]
    const version = textIn(children, 'Version')
    return name === undefined || version === undefined ? [] : [[name, version] as const]
  })
  return new Map(versions)
}

interface Install {
  readonly command: 'add' | 'upgrade'
  readonly args: readonly string[]
  /** The argument for each form of a range, for package managers that do not keep it. */
  readonly styles?: Readonly<Record<RangeStyle, string>>
}

/** How each package manager installs the latest versions without install scripts. */
const INSTALL: Readonly<Record<Agent, Install>> = {
  npm: {
    command: 'add',
    args: ['--ignore-scripts', '--no-audit', '--no-fund', '--no-progress'],
    styles: { caret: '--save-prefix=^', tilde: '--save-prefix=~', exact: '--save-exact' },
  },
  pnpm: { command: 'upgrade', args: ['--latest', '--ignore-scripts'] },
  yarn: { command: 'upgrade', args: ['--latest', '--ignore-scripts', '--non-interactive'] },
  'yarn@berry': {
    command: 'upgrade',
    args: ['--mode=skip-build'],
    styles: { caret: '--caret', tilde: '--tilde', exact: '--exact' },
  },
  bun: { command: 'upgrade', args: ['--latest', '--ignore-scripts'] },
}

/** The commands that install the latest versions of packages and keep the form of each range, to run in order. */
export function installCommands(
  agent: Agent,
  packages: readonly DeclaredPackage[],
): readonly (readonly [command: string, args: readonly string[]])[] {
  const { command, args, styles } = INSTALL[agent]
  const lines = styles
    ? Object.entries(styles).map(([style, argument]) => {
        const names = packages.filter((declared) => styleOf(declared) === style).map(({ name }) => name)
        return { names, line: [...args, argument, ...names.map((name) => `${name}@latest`)] }
      })
    : [{ names: packages, line: [...args, ...packages.map(({ name }) => name)] }]
  return lines.flatMap(({ names, line }) => {
    const resolved = names.length > 0 ? resolveCommand(agent, command, line) : null
    return resolved ? [[resolved.command, resolved.args] as const] : []
  })
}

/** The JSON objects in an output with one per line. Other lines are ignored. */
function jsonLines(output: string): Readonly<Record<string, unknown>>[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

/** A string field of untrusted JSON. Undefined if it is not a string. */
function textIn(value: unknown, key: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const field: unknown = Reflect.get(value, key)
  return typeof field === 'string' ? field : undefined
}
