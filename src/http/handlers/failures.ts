import type { Failure, failureEndpoints } from '../../contract/endpoints/failures.ts'
import { USAGE_HOURS } from '../../contract/endpoints/usage.ts'
import { pageOf } from '../request/page-of.ts'
import { storedError } from '../../engine/run/errors.ts'
import { HOUR_MS, toIso } from '../../lib/clock.ts'
import type { FailureGroup, FailureHour } from '../../store/failure-store.ts'
import { Reply } from '../reply/reply.ts'
import type { Handler } from '../reply/reply.ts'
import type { Services } from '../services.ts'

type Group = typeof failureEndpoints

export function failureHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const generationAt = (time: number): number | null => {
    const load = services
      .configChanges()
      .find(({ type, at }) => type === 'config:loaded' && Date.parse(at) <= time)
    return load?.data.generation ?? null
  }
  return {
    listFailures: async ({ query: { limit, offset, workflowId, open } }) => {
      const { failures } = services.current().store
      const filter = { workflowId, open: open === undefined ? undefined : open === 'true' }
      const groups = await failures.list(filter, pageOf({ limit, offset }))
      const first = Math.floor(services.clock.now() / HOUR_MS) - USAGE_HOURS + 1
      const hours =
        groups.length === 0
          ? []
          : await failures.hours(
              groups.map(({ id }) => id),
              first,
            )
      const listed = groups.map((group) => failure(group, { hours, first, generationAt }))
      if (limit === undefined && offset === undefined) return listed
      return new Reply(listed, { headers: { 'X-Total-Count': String(await failures.count(filter)) } })
    },
  }
}

interface Counted {
  readonly hours: readonly FailureHour[]
  /** The hour since the epoch that is counted first. */
  readonly first: number
  readonly generationAt: (time: number) => number | null
}

function failure(group: FailureGroup, { hours, first, generationAt }: Counted): Failure {
  const { id, count, firstAt, lastAt, completedAt, last } = group
  const resolvedAt = completedAt !== null && completedAt >= lastAt ? toIso(completedAt) : null
  const own = hours.filter((hour) => hour.id === id)
  return {
    id,
    workflowId: last.workflowId,
    workflowName: last.workflowName,
    error: storedError(last.error),
    count,
    firstAt: toIso(firstAt),
    lastAt: toIso(lastAt),
    lastExecutionId: last.id,
    firstGeneration: generationAt(firstAt),
    open: resolvedAt === null,
    resolvedAt,
    hours: Array.from(
      { length: USAGE_HOURS },
      (_, index) => own.find(({ hour }) => hour === first + index)?.count ?? 0,
    ),
  }
}
