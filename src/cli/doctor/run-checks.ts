import { providerPackages } from './model-check.ts'
import { usedAgents } from '../../workflow/used-agents.ts'
import type { AcceptedConfig } from '../../config/accept-config.ts'
import type { Project } from '../../config/project.ts'
import { AppError } from '../../lib/errors.ts'
import { isProduction } from '../../server/is-production.ts'
import type { CommandCall } from '../command.ts'
import { findTarget } from '../connect/find-server.ts'
import type { Target } from '../connect/find-server.ts'
import { resolveMode } from '../options/resolve-mode.ts'
import { listenAddress } from '../serve/listen-options.ts'
import type { ServerInfo } from '../connect/server-file.ts'
import { checkAccess, checkAuth } from './auth-check.ts'
import type { Check } from './check.ts'
import { failure, warning } from './check.ts'
import { loadForCheck } from './config-check.ts'
import { checkData } from './data-check.ts'
import { checkDatabase } from './database-check.ts'
import { checkEnvFiles } from './env-check.ts'
import { checkGit } from './git-check.ts'
import { checkLinks } from './links-check.ts'
import { checkModels } from './model-check.ts'
import { checkNode } from './node-check.ts'
import { ownPackage } from './own-package.ts'
import { checkPackages } from './packages-check.ts'
import { checkPort } from './port-check.ts'

/** The zod versions that work with this package, for projects that install their own. */
const ZOD = '^3.25 || ^4'

/** Runs all checks of a project. If the configuration fails to load, checks that depend on it are skipped. */
export async function runChecks(call: CommandCall): Promise<Check[]> {
  const own = ownPackage()
  const node = checkNode(process.versions.node, own.engines.node)
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
      peers: { ...own.peerDependencies, zod: ZOD },
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
