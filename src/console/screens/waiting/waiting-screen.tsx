import { useEndpoint } from '../../api/use-endpoint.ts'
import { useChanges } from '../../live/use-topic.ts'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { Tabs } from '../../ui/layout/tabs.tsx'
import { QueuesTab } from './queues-tab.tsx'
import { SuspendedTab } from './suspended-tab.tsx'

const UPDATE_MS = 500

/** What waits: executions for a time, an event or a person, and those above a limit of their workflow. */
export function WaitingScreen() {
  const { data: queues, error, refetch } = useEndpoint('listQueues', {})
  useChanges('executions', refetch, UPDATE_MS)
  const queued = queues?.reduce((all, { waiting }) => all + waiting, 0)
  return (
    <>
      <PageHeader title="Waiting" />
      <Tabs
        label="Waiting executions"
        tabs={[
          { id: 'suspended', name: 'Suspended', render: () => <SuspendedTab /> },
          {
            id: 'queues',
            name: 'Queues',
            count: queued,
            render: () => <QueuesTab queues={queues} error={error} retry={refetch} />,
          },
        ]}
      />
    </>
  )
}
