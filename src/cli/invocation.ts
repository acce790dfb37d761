import fs from 'node:fs'
import path from 'node:path'
import type { PackageManagerName } from '../lib/packages/package-manager.ts'
import { shellQuote } from './print/shell-quote.ts'

/** The prefix that runs a command of an installed package. */
export const EXEC_PREFIX: Readonly<Record<PackageManagerName, string>> = {
  npm: 'npx',
  pnpm: 'pnpm exec',
  yarn: 'yarn run',
  bun: 'bunx',
}

/** The parts of the process that show how the command was called. */
export interface CallingProcess {
  /** `process.argv[1]`: the script that runs, absolute. */
  readonly script: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * The text that runs this program again, as it was called: `npx agentserver`, `pnpm exec agentserver`,
 * `npm run agentserver --`, `agentserver` or `node bin/agentserver.js`.
 */
export function programCalled({ script, cwd, env }: CallingProcess): string {
  const isInstalled = script.split(path.sep).includes('node_modules')
  const manager = isInstalled ? managerIn(env) : undefined
  if (manager !== undefined) return scriptRunner(manager, env) ?? `${EXEC_PREFIX[manager]} agentserver`
  if (script.endsWith('.js') && !isInstalled) return `node ${shellQuote(shorter(script, cwd))}`
  if (isOnPath(env) || script === '') return 'agentserver'
  return script.endsWith('.js') ? 'npx agentserver' : shellQuote(shorter(script, cwd))
}

/** The package manager that started this process. */
function managerIn({
  npm_config_user_agent: agent = '',
}: CallingProcess['env']): PackageManagerName | undefined {
  const name = agent.split('/', 1)[0] ?? ''
  return name in EXEC_PREFIX ? (name as PackageManagerName) : undefined
}

/** The script of package.json that ran this process, if it takes the command from its arguments. */
function scriptRunner(
  manager: PackageManagerName,
  { npm_lifecycle_event: name = '', npm_lifecycle_script: text = '' }: CallingProcess['env'],
): string | undefined {
  if (name === 'npx' || !/^\s*(?:\S*[/\\])?agentserver\s*$/.test(text)) return undefined
  return `${manager} run ${shellQuote(name)}${manager === 'npm' ? ' --' : ''}`
}

/** The path from the current directory, unless the absolute one is shorter. */
function shorter(file: string, cwd: string): string {
  const near = path.relative(cwd, file)
  return near.length < file.length ? near : file
}

function isOnPath(env: CallingProcess['env']): boolean {
  const directories = (env['PATH'] ?? env['Path'] ?? '').split(path.delimiter)
  const names = process.platform === 'win32' ? ['agentserver.cmd'] : ['agentserver']
  return directories.some((directory) => names.some((name) => fs.existsSync(path.join(directory, name))))
}

/** The options that a command to run next repeats, if they were typed. */
const TARGET_OPTIONS = ['cwd', 'config', 'url', 'key', 'token'] as const
/** Commands that work on fewer of them. */
const TARGETS_OF: Readonly<Record<string, readonly string[]>> = {
  dev: ['cwd', 'config'],
  start: ['cwd', 'config'],
  init: [],
}

/**
 * A command to run next, such as `state <id>`, as it is to be typed: with the program as it was called, and with the
 * options that select the project or server. Keys and tokens are replaced by placeholders.
 */
export function nextCommand(
  args: string,
  { program, options }: { program: string; options: Readonly<Record<string, unknown>> },
): string {
  const [name = ''] = args.split(' ', 1)
  const repeated = args.endsWith('--help') ? [] : (TARGETS_OF[name] ?? TARGET_OPTIONS)
  const typed = repeated.flatMap((option) => {
    const value = options[option]
    if (typeof value !== 'string' || args.includes(`--${option}`)) return []
    return [`--${option} ${/^(?:key|token)$/.test(option) ? `'<${option}>'` : shellQuote(value)}`]
  })
  return [program, args, ...typed].join(' ')
}
