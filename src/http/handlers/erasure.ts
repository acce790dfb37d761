import type { erasureEndpoints } from '../../contract/endpoints/erasure.ts'
import { AppError } from '../../lib/errors.ts'
import { addRows } from '../../store/erasure-store.ts'
import type { ErasedRows } from '../../store/erasure-store.ts'
import { countedRows, eraseRecords } from '../erase-records.ts'
import type { Handler } from '../reply/reply.ts'
import type { Services } from '../services.ts'

type Group = typeof erasureEndpoints

export function erasureHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  return {
    eraseUser: async ({ body: { userId, runs: named = [] }, access }) => {
      // consoleRoutes may make it a route of users
      if (access.isLimited) throw new AppError('forbidden', 'Only operators may erase users')
      const { erasure } = services.current().engine
      const wanted = new Set(named)
      const runs: string[] = []
      let rows: ErasedRows = {}
      for (;;) {
        const records = await erasure.nextOf(userId)
        const ids = [...records.executions, ...records.runs].map(({ id }) => id)
        if (ids.length === 0) break
        runs.push(...ids.filter((id) => wanted.has(id)))
        rows = addRows(rows, await eraseRecords(services, records, { userId }))
      }
      rows = addRows(rows, await erasure.deleteUser(userId))
      await erasure.purge()
      services.logger.info({ rows: countedRows(rows) }, 'A user was erased')
      return { rows: countedRows(rows), runs }
    },
  }
}
