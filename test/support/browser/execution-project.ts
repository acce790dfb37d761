import { ConsoleProject } from './console-project.ts'

/** Workflows with all step types and outcomes. */
export const EXECUTION_FILES = {
  'agentserver.config.ts': `
    import { defineConfig } from 'agentserver'
    import { broken, order, slow } from './src/workflows.ts'
    import { hostile, many, shipment } from './src/shipment.ts'
    import { paid, sale, trial } from './src/waits.ts'
    export default defineConfig({ workflows: [order, broken, slow, shipment, many, hostile, paid, trial, sale] })
  `,
  'src/waits.ts': `
    import { createWorkflow } from 'agentserver'
    import { z } from 'zod'

    export const paid = createWorkflow({ id: 'paid' })
      .andWaitForEvent({ id: 'payment', event: 'payment', key: () => 'A-1', schema: z.object({ isPaid: z.boolean() }), timeout: '1d' })
    export const trial = createWorkflow({ id: 'trial' }).andSleep({ id: 'rest', for: '14d' })
    export const sale = createWorkflow({ id: 'sale' }).andWorkflow({ id: 'offer', workflow: trial })
  `,
  'src/shipment.ts': `
    import { andThen, createWorkflow } from 'agentserver'
    import { z } from 'zod'

    const label = createWorkflow({ id: 'label', name: 'Label' })
      .andThen({ id: 'print', execute: async ({ data }) => ({ ...data, printed: true }) })

    export const shipment = createWorkflow({
      id: 'shipment', name: 'Shipment', inputSchema: z.object({ to: z.string(), fail: z.boolean().default(false) }),
    })
      .andThen({ id: 'book', retries: { limit: 1, delayMs: 20 }, execute: async ({ data, attempt, logger }) => {
        logger.info({ to: data.to }, 'booking a van')
        if (attempt === 1) throw new Error('no van in reach')
        return data
      } })
      .andAll({ id: 'quotes', steps: [
        andThen({ id: 'swift', execute: async () => 12 }),
        andThen({ id: 'parcel', execute: async () => 9 }),
      ] })
      .andRace({ id: 'fastest', steps: [
        andThen({ id: 'near', execute: async () => 'near' }),
        andThen({ id: 'far', execute: async ({ signal }) => new Promise((resolve) => {
          const timer = setTimeout(() => resolve('far'), 5000)
          signal.addEventListener('abort', () => clearTimeout(timer))
        }) }),
      ] })
      .andThen({ id: 'shape', execute: async ({ data, input }) => ({ won: data, to: input.to }) })
      .andWorkflow({ id: 'label', workflow: label })
      .andWhen({ id: 'abroad', condition: ({ data }) => data.to === 'abroad', step: andThen({ id: 'customs', execute: async ({ data }) => data }) })
      .andThen({ id: 'load', execute: async ({ data, input }) => {
        if (input.fail || data.heavy) throw new RangeError('too heavy', { cause: new Error('over the weight limit') })
        return { ...data, loaded: true }
      } })

    let chain = createWorkflow({ id: 'many', name: 'Many' })
    for (let index = 0; index < 2000; index++)
      chain = chain.andThen({ id: 's' + index, execute: async () => ({ index }) })
    export const many = chain

    const TEXT = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script> \\u202eevil \\u0000 \\u001b[31mred \\u{1F469}\\u200d\\u{1F4BB} '
    const LONG = 'W'.repeat(3000)
    export const hostile = createWorkflow({ id: 'hostile', name: TEXT })
      .andThen({ id: 'say', name: TEXT + LONG, execute: async ({ emit, logger }) => {
        await emit(TEXT, { [TEXT]: LONG })
        logger.warn({ [TEXT]: TEXT }, TEXT + LONG)
        return { [TEXT]: TEXT, [LONG]: LONG, big: 'x'.repeat(1_000_000), deep: [[[[TEXT]]]] }
      } })
      .andThen({ id: 'ask', name: TEXT, execute: async ({ data, suspend, resumeData }) => {
        if (resumeData === undefined) return suspend(TEXT + LONG, { [TEXT]: TEXT })
        const error = new Error(TEXT + LONG)
        error.name = TEXT
        throw error
      } })
  `,
}

export function executionProject(): ConsoleProject {
  return new ConsoleProject(EXECUTION_FILES)
}
