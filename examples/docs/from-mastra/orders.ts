import { andThen, createWorkflow } from 'agentserver'
import { z } from 'zod'

// #region steps
const format = andThen({
  id: 'format',
  inputSchema: z.object({ message: z.string() }),
  execute: ({ data }) => ({ text: data.message.toUpperCase() }),
})

const count = andThen({
  id: 'count',
  inputSchema: z.object({ message: z.string() }),
  execute: ({ data }) => ({ length: data.message.length }),
  retries: 3,
})

export const summary = createWorkflow({
  id: 'summary',
  inputSchema: z.object({ message: z.string() }),
  resultSchema: z.object({ summary: z.string() }),
})
  .andAll({ id: 'both', steps: [format, count] })
  .andThen({
    id: 'combine',
    execute: ({ data: [{ text }, { length }] }) => ({
      summary: `${text} (${length} characters)`,
    }),
  })
// #endregion

// #region control
export const prices = createWorkflow({
  id: 'prices',
  inputSchema: z.object({ values: z.array(z.number()) }),
})
  .andForEach({
    id: 'each',
    items: ({ data }) => data.values,
    concurrency: 4,
    step: andThen({
      id: 'add-ten',
      execute: ({ data }: { data: number }) => data + 10,
    }),
  })
  .andThen({
    id: 'sum',
    execute: ({ data }) => data.reduce((sum, one) => sum + one, 0),
  })
  .andBranch({
    id: 'size',
    branches: [
      {
        when: ({ data }) => data > 100,
        step: andThen({
          id: 'high',
          execute: ({ data }) => `High: ${data}`,
        }),
      },
    ],
    otherwise: andThen({
      id: 'low',
      execute: ({ data }) => `Low: ${data}`,
    }),
  })
// #endregion
