import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useTopic } from '../../live/use-topic.ts'

/** The executions that replay this one. */
export function useReplays(id: string, stored: boolean): readonly ExecutionRecord[] {
  const { data = [], refetch } = useEndpoint(
    'observeExecutions',
    { query: { forkedFrom: id, limit: '50' } },
    { enabled: stored },
  )
  useTopic(stored ? 'executions' : undefined, {
    onFrame: ({ data: changed }) => {
      if ((changed as ExecutionRecord).forkedFrom?.executionId === id) void refetch()
    },
  })
  return data
}
