import {
  connectMcpServer,
  createAgent,
  createMcpServer,
  createSchedule,
  createTool,
  createWorkflow,
} from 'agentserver'
import type { AgentServerConfig } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { z } from 'zod'
import { expense } from '../../../../examples/docs/expense.ts'
import { createDeferred } from '../../../../src/lib/async/wake-up.ts'
import type { Deferred } from '../../../../src/lib/async/wake-up.ts'

/** What the examples hold open: a step and a tool run until it is resolved. */
export interface Held {
  readonly started: Deferred<void>
  readonly released: Deferred<void>
}

export function held(): Held {
  return { started: createDeferred(), released: createDeferred() }
}

const orderStatus = createTool({
  name: 'order-status',
  description: 'Looks up the status of an order',
  inputSchema: z.object({ orderId: z.string() }),
  execute: ({ orderId }, { logger }) => {
    logger.info({ orderId }, 'Looked up an order')
    return { orderId, status: 'on its way' }
  },
})

const refund = createTool({
  name: 'refund',
  description: 'Refunds an order',
  inputSchema: z.object({ orderId: z.string(), amount: z.number() }),
  needsApproval: true,
  execute: ({ amount }) => ({ refunded: amount }),
})

const askCustomer = createTool({
  name: 'ask-customer',
  description: 'Asks the customer where to leave a parcel',
  inputSchema: z.object({ orderId: z.string() }),
  execute: async ({ orderId }, { step }) => {
    const { place } = await step.suspend('place', {
      reason: 'Where to leave the parcel?',
      resumeSchema: z.object({ place: z.string() }),
    })
    return { orderId, place }
  },
})

/** The call of a tool that the last message of a user is about, and an answer when it has returned. */
const model = (toolName: string, input: object, text: string) =>
  scriptedModel(
    [
      ({ prompt, responseFormat }) => {
        if (responseFormat?.type === 'json') return { object: { orderId: 'A-1', urgent: true } }
        return prompt.at(-1)?.role === 'tool' ? text : { toolCalls: [{ toolName, input }] }
      },
    ],
    { repeatLast: true, modelId: 'example' },
  )

/** A workflow that fails. */
export const payout = createWorkflow({
  id: 'payout',
  name: 'Payout',
  inputSchema: z.object({ account: z.string() }),
}).andThen({
  id: 'pay',
  execute: ({ data }) => {
    throw new Error(`Account ${data.account} is frozen`)
  },
})

const handbook = [
  { uri: 'handbook://refunds', name: 'Refunds', mimeType: 'text/plain', read: () => 'Within 30 days.' },
]
const prompts = [
  {
    name: 'reply',
    description: 'A reply to a customer',
    arguments: [{ name: 'orderId', required: true }],
    get: ({ orderId = '' }: Record<string, string>) => `Write a reply about order ${orderId}.`,
  },
]

/** The project of the examples: expenses, and agents that answer about orders. */
export function shop({ started, released }: Held): AgentServerConfig {
  const pack = async () => {
    started.resolve()
    await released.promise
    return { packed: true }
  }
  const shipment = createWorkflow({
    id: 'shipment',
    name: 'Shipment',
    inputSchema: z.object({ orderId: z.string() }),
    on: [{ event: 'order.created' }],
  })
    .andThen({ id: 'pack', execute: pack })
    .andThen({
      id: 'label',
      execute: ({ input: { orderId }, logger }) => {
        logger.info({ orderId }, 'Printed a label')
        return { label: `CH-${orderId}` }
      },
    })
  const support = createAgent({
    id: 'support',
    name: 'Support',
    description: 'Answers questions about orders',
    instructions: 'Answer in one sentence. Look up orders, never guess.',
    model: model('order-status', { orderId: 'A-1' }, 'Order A-1 is on its way.'),
    tools: [orderStatus],
    memory: { workingMemory: z.object({ language: z.string() }) },
  })
  const cashier = createAgent({
    id: 'cashier',
    name: 'Cashier',
    instructions: 'Refund what customers return.',
    model: model('refund', { orderId: 'A-1', amount: 25 }, 'I have refunded 25 francs.'),
    tools: [refund],
  })
  const courier = createAgent({
    id: 'courier',
    name: 'Courier',
    instructions: 'Ask where to leave the parcel.',
    model: model('ask-customer', { orderId: 'A-1' }, 'It will be left at the door.'),
    tools: [askCustomer],
    resumable: true,
  })
  const packer = createAgent({
    id: 'packer',
    name: 'Packer',
    instructions: 'Pack the order.',
    model: model('pack', {}, 'It is packed.'),
    tools: [
      createTool({ name: 'pack', description: 'Packs an order', inputSchema: z.object({}), execute: pack }),
    ],
    resumable: true,
  })
  return {
    workflows: [expense, shipment],
    agents: [support, cashier, courier, packer],
    tools: [refund],
    schedules: [
      createSchedule({
        id: 'daily-expense',
        cron: '0 9 * * 1-5',
        timezone: 'Europe/Berlin',
        workflow: expense,
        input: { employee: 'Ada', amount: 20 },
      }),
    ],
    mcpServers: [
      createMcpServer({ id: 'orders', name: 'Orders', tools: [orderStatus], resources: handbook, prompts }),
    ],
  }
}

/** The shop with a connection to its MCP server `orders`, which another server serves at the URL. */
export function connectedShop(url: string): AgentServerConfig {
  return { mcpServers: [connectMcpServer({ id: 'orders', url })] }
}
