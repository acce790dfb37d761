import { ConsoleProject } from './console-project.ts'

/** HTML, bidirectional characters, terminal colours, an emoji and a very long word. */
export const HOSTILE = `<img src=x onerror="document.title='broken in'"> \u202Ebackwards\u202C \u001B[31mred\u001B[0m 👩‍👩‍👧‍👦 ${'w'.repeat(300)}`

const CONFIG = `
  import { createAgent, defineConfig, demoModel } from 'agentserver'
  import { hostile, lines, many, open, order } from './src/workflows.ts'
  const writer = createAgent({ id: 'writer', name: 'Writer', instructions: 'Answer briefly.', model: demoModel() })
  export default defineConfig({ workflows: [order, many, open, lines, hostile], agents: [writer], prices: { 'demo/demo': { input: 100, output: 100 } } })
`

const WORKFLOWS = `
  import fs from 'node:fs'
  import { createWorkflow } from 'agentserver'
  import { trace } from '@opentelemetry/api'

  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
  const BAD = ${JSON.stringify(HOSTILE)}

  export const order = createWorkflow({ id: 'order', name: 'Order' })
    .andThen({ id: 'check', execute: async ({ data, logger }) => {
      logger.info({ orderId: 'o-7', nested: { deep: [1, 2] } }, 'checking the order')
      return data
    } })
    .andThen({ id: 'pay', execute: async ({ data, logger }) => {
      logger.warn('the card is slow')
      if (data.fails) {
        logger.error({ err: new RangeError('over the limit', { cause: new Error('no money') }) }, 'not paid')
        throw new RangeError('card declined')
      }
      return data
    } })

  export const many = createWorkflow({ id: 'many', name: 'Many' }).andThen({ id: 'spans', execute: async () => {
    const tracer = trace.getTracer('test')
    for (let group = 0; group < 20; group++) await tracer.startActiveSpan('group ' + group, async (outer) => {
      for (let n = 0; n < 100; n++) {
        const span = tracer.startSpan('query ' + group + '.' + n, { attributes: { 'db.statement': 'SELECT ' + n } })
        if (group === 3 && n === 7) span.setStatus({ code: 2, message: 'timed out' })
        span.end()
      }
      outer.end()
      await wait(1)
    })
    return {}
  } })

  // waits for the file named in its input
  export const open = createWorkflow({ id: 'open', name: 'Open' }).andThen({ id: 'hold', execute: async ({ data, logger }) => {
    logger.info('held')
    while (!fs.existsSync(new URL('../' + data.gate, import.meta.url))) await wait(10)
    return {}
  } })

  export const lines = createWorkflow({ id: 'lines', name: 'Lines' }).andThen({ id: 'say', execute: async ({ data, logger }) => {
    for (let n = 0; n < data.count; n++) {
      logger.info({ n }, data.same ? data.text : data.text + ' ' + n)
      if (data.everyMs) await wait(data.everyMs)
    }
    return {}
  } })

  export const hostile = createWorkflow({ id: 'hostile', name: BAD }).andThen({ id: 'bad', execute: async ({ logger }) => {
    const tracer = trace.getTracer('test')
    const span = tracer.startSpan(BAD, { attributes: {
      [BAD]: BAD,
      big: 'x'.repeat(100_000),
      'gen_ai.input.messages': JSON.stringify([{ role: BAD, parts: [{ type: 'text', content: BAD }] }]),
      'gen_ai.request.model': BAD,
    } })
    span.addEvent(BAD, { [BAD]: BAD })
    span.recordException(new Error(BAD))
    span.setStatus({ code: 2, message: BAD })
    span.end()
    logger.error({ err: new Error(BAD), [BAD]: { [BAD]: BAD } }, BAD)
    return { bad: BAD }
  } })
`

/** A project with spans and logs of all kinds. */
export function tracedProject(): ConsoleProject {
  return new ConsoleProject({ 'agentserver.config.ts': CONFIG, 'src/workflows.ts': WORKFLOWS })
}

/** The id of the newest trace that matches a query. */
export async function newestTrace(project: ConsoleProject, query: string): Promise<string> {
  const response = await fetch(new URL(`/observability/traces?${query}`, project.server.url))
  const { data } = (await response.json()) as { data: readonly { readonly traceId: string }[] }
  const [first] = data
  if (!first) throw new Error(`No trace matches ${query}`)
  return first.traceId
}
