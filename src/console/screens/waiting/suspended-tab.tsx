import { useRef } from 'react'
import { EmptyState } from '../../ui/state/states.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { useIsAt } from '../../ui/table/use-is-at.ts'
import { SUSPENDED_COLUMNS } from './suspended-columns.tsx'
import { useSuspended, waitKey } from './use-suspended.ts'

const EXAMPLE = `createWorkflow({ id: 'trial' })
  .andSleep({ id: 'two-weeks', for: '14d' })
  .andWaitForEvent({ id: 'paid', event: 'invoice.paid', key: ({ data }) => data.invoiceId })`

/** Suspended executions: what each waits for, and since when. While the pointer is over the list, no row moves. */
export function SuspendedTab() {
  const frame = useRef<HTMLDivElement>(null)
  const pages = useSuspended(useIsAt(frame))
  return (
    <div ref={frame} className="flex min-h-0 flex-1 flex-col">
      <ListView
        label="Suspended executions"
        columns={SUSPENDED_COLUMNS}
        count={pages.total}
        row={pages.at}
        rowKey={waitKey}
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
    </div>
  )
}
