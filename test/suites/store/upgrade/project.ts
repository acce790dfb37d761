import { trace } from '@opentelemetry/api'
import {
  andAll,
  andTap,
  andThen,
  andWhen,
  createAgent,
  createTool,
  createWorkflow,
  demoModel,
  NonRetryableError,
} from 'agentserver'
import type { AgentServerConfig } from 'agentserver'

const object = { type: 'object' } as const

const charge = andThen({
  id: 'charge',
  retries: { limit: 1, delayMs: 1 },
  execute: ({ data, attempt, emit }) => {
    if (attempt === 1) throw new Error('The card reader is "busy"\nline two')
    emit('charged', { text: 'a line\nbreak, "quotes", {"spanId":"no id"}, ü 🎉' })
    return { ...(data as object), charged: true }
  },
})

const approve = andThen({
  id: 'approve',
  execute: ({ data, resumeData, suspend }) =>
    resumeData === undefined
      ? suspend('over the limit', { data })
      : { ...(data as object), approval: resumeData },
})

const order = createWorkflow(
  { id: 'order', name: 'Order', inputSchema: object },
  andTap({
    id: 'note',
    execute: () => {
      throw new TypeError('nobody listens')
    },
  }),
  charge,
  andWhen({ id: 'large', condition: ({ data }) => (data as { amount: number }).amount > 100, step: approve }),
  andAll({
    id: 'both',
    steps: [
      andThen({ id: 'left', execute: ({ data }) => data }),
      andWhen({ id: 'right', condition: () => false, step: andThen({ id: 'never', execute: () => 1 }) }),
    ],
  }),
)

const failing = createWorkflow(
  { id: 'failing' },
  andThen({
    id: 'boom',
    execute: () => {
      throw new NonRetryableError('no good')
    },
  }),
)

/** Whether the step `wait` runs until its process is killed. */
let holds = true
export const endLongSteps = () => {
  holds = false
}
const long = createWorkflow({ id: 'long' })
  .andThen({ id: 'before', execute: () => ({ ready: true }) })
  .andThen({
    id: 'wait',
    execute: ({ data, signal }) =>
      holds
        ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
        : data,
  })

const traced = createTool({
  name: 'calculate',
  description: 'calculate a sum',
  inputSchema: { type: 'object', properties: { sum: { type: 'string' } }, required: ['sum'] },
  execute: () =>
    trace.getTracer('mine').startActiveSpan('by hand', (span) => {
      span.setAttributes({ list: ['a', 'b\nc'], number: 1.5, flag: false })
      span.addEvent('half way', { part: 1 })
      span.addLink({ context: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 } })
      span.recordException({
        name: 'RangeError',
        message: 'out of "range"',
        stack: 'RangeError\n    at calculate',
      })
      span.setStatus({ code: 2, message: 'gone\nwrong' })
      span.end()
      return 4
    }),
})

const helper = createAgent({
  id: 'helper',
  name: 'Helper',
  instructions: 'Help.',
  model: demoModel({ delayMs: 0 }),
  tools: [traced],
})

/** The configuration of the server that wrote the fixture. */
export const config: AgentServerConfig = {
  workflows: [order, failing, long],
  agents: [helper],
  tools: [traced],
}
