import { useEffect, useState } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { HeldDecisions } from '../../approvals/held-decisions.ts'
import { useChanges } from '../../live/use-topic.ts'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { Tabs } from '../../ui/layout/tabs.tsx'
import { useUsage } from '../../usage/use-usage.ts'
import { DecideTab } from './decide-tab.tsx'
import { FailedTab } from './failed-tab.tsx'
import { QueuedTab } from './queued-tab.tsx'
import { SleepingTab } from './sleeping-tab.tsx'

const UPDATE_MS = 500

/** Everything that waits: for a decision, for somebody who has seen a failure, for a time or an event, for a slot. */
export function InboxScreen() {
  const { data: queues, error, refetch } = useEndpoint('listQueues', {})
  useChanges('executions', refetch, UPDATE_MS)
  const queued = queues?.reduce((all, { waiting }) => all + waiting, 0)
  const { usage, needed } = useUsage()
  const undecided = usage && usage.needsYou.suspended + usage.needsYou.approvals
  const held = useHeldDecisions()
  return (
    <>
      <PageHeader title="Inbox" />
      <Tabs
        label="Inbox"
        tabs={[
          { id: 'decide', name: 'Decide', count: undecided, render: () => <DecideTab held={held} /> },
          {
            id: 'failed',
            name: 'Failed',
            count: undecided === undefined ? undefined : needed - undecided,
            render: () => <FailedTab />,
          },
          { id: 'sleeping', name: 'Sleeping', render: () => <SleepingTab /> },
          {
            id: 'queued',
            name: 'Queued',
            count: queued,
            render: () => <QueuedTab queues={queues} error={error} retry={refetch} />,
          },
        ]}
      />
    </>
  )
}

/** The decisions of this visit. They are sent when the inbox, or the page, is left. */
function useHeldDecisions(): HeldDecisions {
  const [held] = useState(() => new HeldDecisions())
  useEffect(() => {
    const leave = () => held.flush(true)
    addEventListener('pagehide', leave)
    return () => {
      removeEventListener('pagehide', leave)
      held.flush(false)
    }
  }, [held])
  return held
}
