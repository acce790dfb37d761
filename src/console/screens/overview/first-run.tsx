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

/** What to do when there is nothing yet. */
export function FirstRun() {
  return (
    <EmptyState title="No workflows and no agents yet" code={CODE}>
      Save this as agentserver.config.ts. It is here as soon as it is saved.
    </EmptyState>
  )
}
