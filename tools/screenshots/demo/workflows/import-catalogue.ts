import { setTimeout as sleep } from 'node:timers/promises'
import { andThen, createSchedule, createWorkflow } from 'agentserver'
import { z } from 'zod'

/** Long enough for a picture of the executions that wait for a place. */
const IMPORT_MS = 120_000

export const importCatalogue = createWorkflow(
  {
    id: 'import-catalogue',
    name: 'Import catalogue',
    purpose: 'Copy the products of a supplier, at most two suppliers at a time',
    inputSchema: z.object({ supplier: z.string(), urgent: z.boolean().default(false) }),
    concurrency: 2,
    rateLimit: { limit: 30, per: '1h' },
    priority: ({ input }) => (input.urgent ? 1 : 0),
  },
  andThen({
    id: 'copy',
    execute: async ({ data, signal }) => {
      await sleep(IMPORT_MS, undefined, { signal })
      return { copied: data.supplier }
    },
  }),
)

export const nightlyImport = createSchedule({
  id: 'nightly-import',
  cron: '30 2 * * *',
  timezone: 'Europe/Berlin',
  workflow: importCatalogue,
  input: { supplier: 'northwind', urgent: false },
})

export const weeklyImport = createSchedule({
  id: 'weekly-import',
  cron: '0 6 * * MON',
  timezone: 'Europe/Berlin',
  workflow: importCatalogue,
  input: { supplier: 'contoso', urgent: false },
})
