import { EmptyState } from '../../ui/state/states.tsx'

const CODE = `import { createWorkflow, defineConfig } from 'agentserver'
import { z } from 'zod'

const hello = createWorkflow({
  id: 'hello',
  name: 'Hello',
  purpose: 'Greet somebody',
  inputSchema: z.object({ name: z.string() }),
}).andThen({
  id: 'greet',
  execute: ({ data }) => ({ text: \`Hello, \${data.name}\` }),
})\n\nexport default defineConfig({ workflows: [hello] })
`

/** The empty state without workflows and agents. */
export function FirstRun() {
  return (
    <EmptyState title="No workflows or agents yet" code={CODE}>
      Save this as agentserver.config.ts; this page updates when the file is saved.
    </EmptyState>
  )
}
