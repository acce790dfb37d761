import { useEndpoint } from '../api/use-endpoint.ts'
import { runCommand } from '../code/request-code.ts'
import { Link } from '../router/link.tsx'
import { EmptyState } from '../ui/state/states.tsx'

const LIST = 'npx agentserver list workflows'

/** The command that runs the first workflow with an input that it accepts; until there is one, that which lists workflows. */
export function useFirstCommand(): { readonly workflowId: string | undefined; readonly command: string } {
  const { data: workflows } = useEndpoint('listWorkflows', {})
  const workflowId = workflows?.find(({ served }) => served)?.id
  const params = { id: workflowId ?? '' }
  const { data } = useEndpoint('getWorkflow', { params }, { enabled: workflowId !== undefined })
  return { workflowId, command: (data && runCommand(data)) ?? LIST }
}

/** The empty state of a list of executions. */
export function NoExecutions() {
  const { workflowId, command } = useFirstCommand()
  return (
    <EmptyState title="No executions yet" code={command}>
      {workflowId === undefined ? (
        'Run a workflow here'
      ) : (
        <Link to={`workflows/${encodeURIComponent(workflowId)}`} className="underline">
          Run {workflowId} here
        </Link>
      )}{' '}
      or from the terminal:
    </EmptyState>
  )
}
