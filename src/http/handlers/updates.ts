import type { UpdateList, updatesEndpoints } from '../../contract/endpoints/updates.ts'
import { AppError } from '../../lib/errors.ts'
import { findUpdates } from '../../updates/find-updates.ts'
import { installUpdates } from '../../updates/install-updates.ts'
import type { Handler } from '../reply/reply.ts'
import type { Services } from '../services.ts'

type Group = typeof updatesEndpoints

export function updatesHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const { root } = services
  let looking: Promise<UpdateList> | undefined
  // whoever asks meanwhile gets the same answer: each look costs a process
  const look = () => {
    looking ??= findUpdates({ root }).finally(() => (looking = undefined))
    return looking
  }
  const install = (packageName?: string) => {
    if (services.production && !services.current().config.updates.allowInstall)
      throw new AppError('forbidden', 'Installing is off in production: set updates.allowInstall to allow it')
    const log = services.logger.child({ task: 'updates' })
    return installUpdates({ root, packageName, onOutput: (line) => log.info(line) })
  }
  return {
    getUpdates: look,
    installUpdates: ({ body }) => install(body.packageName),
    installUpdate: ({ params }) => install(params.packageName),
    installScopedUpdate: ({ params }) => install(`@${params.scope.replace(/^@/, '')}/${params.packageName}`),
  }
}
