import { providerPackages, checkModels } from './model-check.ts'
import { usedAgents } from '../../workflow/used-agents.ts'
import type { AcceptedConfig } from '../../config/accept-config.ts'
import type { Project } from '../../config/project.ts'
import { AppError } from '../../lib/errors.ts'
import { OWN_PACKAGE } from '../../lib/packages/own-package.ts'
import { isProduction } from '../../server/is-production.ts'
import type { CommandCall } from '../command.ts'
import { findTarget } from '../connect/find-server.ts'
import type { Target } from '../connect/find-server.ts'
import { resolveMode } from '../options/load-config.ts'
import { listenAddress } from '../serve/listen-options.ts'
import type { ServerInfo } from '../connect/server-file.ts'
import { checkAccess, checkAuth } from './auth-check.ts'
import { failure, warning, ok } from './check.ts'
import type { Check } from './check.ts'
import { loadForCheck } from './config-check.ts'
import { checkData } from './data-check.ts'
import { checkDatabase } from './database-check.ts'
import { checkEnvFiles } from './env-check.ts'
import { checkLinks } from './links-check.ts'
import { checkPackages } from './packages-check.ts'
import { checkPort } from './port-check.ts'
import satisfies from 'semver/functions/satisfies.js'
import { execa } from 'execa'

/** Entries that .gitignore should have, each with a path to test. */
const PRIVATE = { '.agentserver/': '.agentserver/data.db', '.env': '.env' } as const

const NOT_IGNORED = 1

/** Checks that git ignores secrets and data. Returns no checks outside a repository. */
async function checkGit(root: string): Promise<Check[]> {
  const results = await Promise.all(
    Object.entries(PRIVATE).map(([name, file]) => isIgnored(root, name, file)),
  )
  const found = results.filter((result) => result !== undefined)
  const tracked = found.filter(({ ignored }) => !ignored).map(({ name }) => name)
  if (found.length === 0) return []
  if (tracked.length === 0) return [ok('git', `${Object.keys(PRIVATE).join(' and ')} are ignored`)]
  return tracked.map((name) => warning('git', `git does not ignore ${name}`, `Add "${name}" to .gitignore.`))
}

async function isIgnored(
  root: string,
  name: string,
  file: string,
): Promise<{ name: string; ignored: boolean } | undefined> {
  const { exitCode } = await execa('git', ['check-ignore', '--quiet', '--', file], {
    cwd: root,
    reject: false,
  })
  if (exitCode !== 0 && exitCode !== NOT_IGNORED) return undefined
  return { name, ignored: exitCode === 0 }
}

/** Checks the Node.js version against `range`, which is `engines.node` of package.json. */
export function checkNode(version: string, range: string): Check {
  if (satisfies(version, range, { includePrerelease: true })) return ok('node', `Node ${version}`)
  return failure('node', `Node ${version} is not supported`, `Install Node.js ${range}.`)
}

/** Checks the program that runs this: Bun and Deno report a version of Node.js, too. */
export function checkRuntime({ bun, deno, node = '' }: NodeJS.Dict<string>, range: string): Check {
  if (bun !== undefined) return otherRuntime(`Bun ${bun}`)
  if (deno !== undefined) return otherRuntime(`Deno ${deno}`)
  return checkNode(node, range)
}

function otherRuntime(name: string): Check {
  const advice =
    'Run it on Node.js in production. "Operating systems" in the documentation lists what is tested.'
  return warning('node', `${name} is covered by a smoke test only`, advice)
}

/** The zod versions that work with this package, for projects that install their own. */
const ZOD = '^3.25 || ^4'

/** Runs all checks of a project. If the configuration fails to load, checks that depend on it are skipped. */
export async function runChecks(call: CommandCall): Promise<Check[]> {
  const node = checkRuntime(process.versions, OWN_PACKAGE.engines.node)
  const target = await targetOf(call)
  if (target instanceof AppError) return [node, failure('config', target.message, target.hint ?? '')]
  const server = target.kind === 'server' ? target.info : undefined
  const project = target.kind === 'server' ? target.info : target.project
  const mode = resolveMode(process.env, 'development')
  const { check, accepted } = await loadForCheck(project, mode, call)
  const agents = accepted ? usedAgents(accepted.config) : []
  return [
    node,
    check,
    ...checkEnvFiles(project.root, mode),
    ...checkData(project.root),
    ...(accepted ? await checkConfigured(accepted, { call, project, server }) : []),
    ...(await checkPackages({
      root: project.root,
      peers: { ...OWN_PACKAGE.peerDependencies, zod: ZOD },
      needed: agents.length > 0 ? ['ai', ...providerPackages(agents)] : [],
    })),
    ...(await checkGit(project.root)),
  ]
}

interface CheckTarget {
  readonly call: CommandCall
  readonly project: Project
  readonly server: ServerInfo | undefined
}

async function checkConfigured(
  accepted: AcceptedConfig,
  { call, project, server }: CheckTarget,
): Promise<Check[]> {
  const { config } = accepted
  const { env } = process
  const production = isProduction(env)
  const address = listenAddress(call.options, accepted)
  return [
    ...checkModels(config, { env, production }),
    ...checkAuth({ config, host: address.host, production, env }),
    ...checkAccess(config),
    ...checkLinks({ config, production, env }),
    ...(accepted.ignoredDatabaseUrl === undefined
      ? []
      : [
          warning(
            'database',
            accepted.ignoredDatabaseUrl,
            'Set `database` in the configuration, for example to a postgres:// URL.',
          ),
        ]),
    ...(await checkDatabase({ root: project.root, config, server })),
    await checkPort(address, server),
  ]
}

async function targetOf({ options }: CommandCall): Promise<Target | AppError> {
  try {
    return await findTarget(process.cwd(), options.config)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}
