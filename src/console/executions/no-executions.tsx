import { useEndpoint } from '../api/use-endpoint.ts'
import { runCommand } from '../code/request-code.ts'
import { Link } from '../router/link.tsx'
import { EmptyState } from '../ui/state/states.tsx'

const ANY_WORKFLOW = `npx agentserver list workflows
npx agentserver run-workflow <id> --example`

/**
 * The command that runs the first workflow with an input that it accepts, or, if there is none, those for any workflow.
 * `undefined` until it is known.
 */
export function useFirstCommand(): {
  readonly workflowId: string | undefined
  readonly command: string | undefined
} {
  const { data: workflows } = useEndpoint('listWorkflows', {})
  const workflowId = workflows?.find(({ served }) => served)?.id
  const params = { id: workflowId ?? '' }
  const { data: workflow } = useEndpoint('getWorkflow', { params }, { enabled: workflowId !== undefined })
  const isKnown = workflow !== undefined || (workflows !== undefined && workflowId === undefined)
  return { workflowId, command: isKnown ? ((workflow && runCommand(workflow)) ?? ANY_WORKFLOW) : undefined }
}

/** The empty state of a list of executions. */
export function NoExecutions() {
  const { workflowId, command } = useFirstCommand()
  return (
    <EmptyState title="No runs yet" {...(command !== undefined && { code: command })}>
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
