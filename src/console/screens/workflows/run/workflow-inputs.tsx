import type { WorkflowDetail } from '../../../../contract/endpoints/workflow.ts'
import { examplesIn } from '../../../../contract/schema-examples.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { InputsMenu } from '../../../form/inputs-menu.tsx'

const MAX_RECENT = '6'

export interface WorkflowInputsProps {
  readonly workflow: WorkflowDetail
  readonly choose: (input: unknown) => void
}

/** Fills the form with an example or a case of the workflow, or with the input of one of its last executions. */
export function WorkflowInputs({ workflow: { id, inputSchema }, choose }: WorkflowInputsProps) {
  const query = { workflowId: id, limit: MAX_RECENT }
  const recent = useEndpoint('observeExecutions', { query }, { enabled: false })
  const cases = useEndpoint('listWorkflowCases', { params: { id } }, { enabled: false })
  return (
    <InputsMenu
      examples={examplesIn(inputSchema)}
      cases={cases}
      recent={{ ...recent, data: recent.data?.map(({ input }) => input) }}
      choose={choose}
    />
  )
}
