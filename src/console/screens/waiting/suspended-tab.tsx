import { usePages } from '../../api/use-pages.ts'
import { useThrottled } from '../../live/use-throttled.ts'
import { useTopic } from '../../live/use-topic.ts'
import { EmptyState } from '../../ui/state/states.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { SUSPENDED_COLUMNS } from './suspended-columns.tsx'

const ACTIVITY_MS = 500
const CALL = { query: { status: 'suspended' } } as const

const EXAMPLE = `createWorkflow({ id: 'trial' })
  .andSleep({ id: 'two-weeks', for: '14d' })
  .andWaitForEvent({ id: 'paid', event: 'invoice.paid', key: ({ data }) => data.invoiceId })`

/** Suspended executions: what each waits for, and since when. */
export function SuspendedTab() {
  const pages = usePages('observeExecutions', CALL)
  const refresh = useThrottled(pages.refetch, ACTIVITY_MS)
  useTopic('executions', { onFrame: refresh, onResync: refresh })
  return (
    <ListView
      label="Suspended executions"
      columns={SUSPENDED_COLUMNS}
      count={pages.total}
      row={pages.at}
      rowKey={({ id }) => id}
      onVisible={pages.show}
      error={pages.error}
      retry={pages.refetch}
      noun="execution"
      filtered={false}
      empty={
        <EmptyState title="No execution is suspended" code={EXAMPLE}>
          A workflow sleeps, or waits for an event or a person, without using memory. Add a step to a
          workflow:
        </EmptyState>
      }
    />
  )
}
