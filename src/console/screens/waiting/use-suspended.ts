import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import { usePages } from '../../api/use-pages.ts'
import type { Pages } from '../../api/use-pages.ts'
import { useThrottled } from '../../live/use-throttled.ts'
import { useTopic } from '../../live/use-topic.ts'

const ACTIVITY_MS = 500
const CALL = { query: { status: 'suspended' } } as const

/**
 * The suspended executions, live. While held, nothing moves: those that continue keep their place, with their status,
 * and new ones are added at the end.
 */
export function useSuspended(isHeld: boolean): Pages<ExecutionRecord> {
  const pages = usePages('observeExecutions', CALL, { isHeld })
  const refresh = useThrottled(pages.refetch, ACTIVITY_MS)
  useTopic('executions', {
    onFrame: ({ data }) => {
      if (isHeld) keepInPlace(pages, data as ExecutionRecord)
      refresh()
    },
    onResync: refresh,
  })
  return pages
}

function keepInPlace(pages: Pages<ExecutionRecord>, changed: ExecutionRecord): void {
  const waits = changed.status === 'suspended'
  let isShown = false
  pages.patch((items) =>
    items.map((item) => {
      if (item.id !== changed.id) return item
      const isSame = waits && waitKey(item) === waitKey(changed)
      isShown ||= isSame
      return isSame ? changed : { ...item, status: waits ? 'running' : changed.status }
    }),
  )
  if (waits && !isShown) pages.append([changed])
}

/** Identifies one wait: an execution that suspends again waits for something else. */
export function waitKey({ id, suspension }: ExecutionRecord): string {
  return `${id} ${suspension?.suspendedAt ?? ''}`
}
