import type { ExecutionRecord } from '../../contract/execution.ts'
import { usePages } from '../api/use-pages.ts'
import type { Pages } from '../api/use-pages.ts'
import { useTopic } from '../live/use-topic.ts'

type Filter =
  | 'workflowId'
  | 'status'
  | 'userId'
  | 'conversationId'
  | 'parentExecutionId'
  | 'forkedFrom'
  | 'from'
  | 'to'
export type ExecutionFilters = Readonly<Partial<Record<Filter, string>>>

/** The executions that fit, followed live: what is in view changes as the events come. */
export function useExecutions(filters: ExecutionFilters): Pages<ExecutionRecord> {
  const query = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''))
  const list = usePages('observeExecutions', { query })
  useTopic('executions', {
    onFrame: ({ type, data }) => {
      const changed = data as ExecutionRecord
      if (type === 'execution:updated') {
        list.patch((items) => items.map((item) => (item.id === changed.id ? changed : item)))
        if (filters.status !== undefined && filters.status !== '') list.refetch()
      } else list.refetch()
    },
    onResync: list.refetch,
  })
  return list
}
