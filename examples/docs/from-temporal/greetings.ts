import { createWorkflow } from 'agentserver'
import { z } from 'zod'

// #region parent
export const child = createWorkflow({
  id: 'child',
  inputSchema: z.object({ name: z.string() }),
  run: async ({ input, step }) => {
    await step.sleep('nap', '1h')
    return `I am a child named ${input.name}`
  },
})

export const parent = createWorkflow({
  id: 'parent',
  inputSchema: z.object({ names: z.array(z.string()) }),
  uses: [child],
  run: async ({ input: { names }, step }) => {
    const texts = await Promise.all(
      names.map((name) => step.workflow(name, child, { name })),
    )
    return texts.join('\n')
  },
})
// #endregion
