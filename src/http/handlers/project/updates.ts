import type { UpdateList, updatesEndpoints } from '../../../contract/endpoints/project/updates.ts'
import { AppError } from '../../../lib/errors.ts'
import type { Handler } from '../../reply/reply.ts'
import type { Services } from '../../services.ts'

type Group = typeof updatesEndpoints

export function updatesHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const { root } = services
  let check: Promise<UpdateList> | undefined
  // loaded on use: most servers are never asked
  const findNow = async () => {
    const { findUpdates } = await import('../../../updates/find-updates.ts')
    return findUpdates({ root })
  }
  // concurrent requests share one check: each check starts a process
  const getUpdates = () => {
    check ??= findNow().finally(() => (check = undefined))
    return check
  }
  const install = async (packageName?: string) => {
    if (services.production && !services.current().config.updates.allowInstall)
      throw new AppError(
        'forbidden',
        'Installing updates is disabled in production; set updates.allowInstall in the configuration',
      )
    const log = services.logger.child({ task: 'updates' })
    const { installUpdates } = await import('../../../updates/install-updates.ts')
    return installUpdates({ root, packageName, onOutput: (line) => log.info(line) })
  }
  return {
    getUpdates,
    installUpdates: ({ body }) => install(body.packageName),
    installUpdate: ({ params }) => install(params.packageName),
    installScopedUpdate: ({ params }) => install(`@${params.scope.replace(/^@/, '')}/${params.packageName}`),
  }
}
