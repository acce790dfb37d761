import type { WorkflowDetail } from '../../../../contract/endpoints/workflow.ts'
import { examplesIn } from '../../../../contract/schema-examples.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { shortJson } from '../../../json/parse-json.ts'
import { Menu } from '../../../ui/dialog/menu.tsx'
import type { MenuItem } from '../../../ui/dialog/menu.tsx'

const MAX_RECENT = '6'
const MAX_LENGTH = 70

export interface InputsMenuProps {
  readonly workflow: WorkflowDetail
  readonly choose: (input: unknown) => void
}

/** Fills the form with an example of the workflow, or with the input of one of its last executions. */
export function InputsMenu({ workflow, choose }: InputsMenuProps) {
  const query = { workflowId: workflow.id, limit: MAX_RECENT }
  const { data: recent, isError, refetch } = useEndpoint('observeExecutions', { query }, { enabled: false })
  const examples = examplesIn(workflow.inputSchema)
  const known = new Set<string>()
  const itemsOf = (inputs: readonly unknown[], from: string): MenuItem[] =>
    inputs.flatMap((input) => {
      const text = JSON.stringify(input) ?? ''
      if (known.has(text)) return []
      known.add(text)
      return [{ id: text, name: `${from} ${shortened(input)}`, run: () => choose(input) }]
    })
  // a list leaves out large inputs
  const inputs = (recent ?? []).map(({ input }) => input).filter((input) => input !== undefined)
  const items = [...itemsOf(examples, 'Example'), ...itemsOf(inputs, 'Recent')]
  const loaded = isError ? 'The recent inputs could not be loaded' : 'No examples and no recent inputs'
  const empty = recent === undefined && !isError ? 'Loading…' : loaded
  return (
    <Menu
      label="Inputs"
      onOpen={() => void refetch()}
      items={items.length > 0 ? items : [{ name: empty, run: () => undefined, disabled: true }]}
    />
  )
}

function shortened(input: unknown): string {
  const text = shortJson(input)
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text
}
