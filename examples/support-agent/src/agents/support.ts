import { createAgent } from 'agentserver'
import { findOrder } from '../tools/find-order.ts'
import { refundOrder } from '../tools/refund-order.ts'
import { shipping } from './shipping.ts'

// No model is set: it comes from the environment (see .env.example), or is the built-in demo model.
export const support = createAgent({
  id: 'support',
  name: 'Support',
  description: 'Answers customers of the shop about orders, parcels and refunds',
  instructions: `You answer customers of an online shop. Be brief and friendly.
Look orders up with "find-order"; never guess their state.
Ask the shipping agent where a parcel is.
Refund only when the customer asks for it. When a refund was denied, say why.`,
  tools: [findOrder, refundOrder],
  subAgents: [shipping],
  // With a conversation id, the model sees the last 20 messages of that conversation.
  memory: { lastMessages: 20 },
  maxSteps: 6,
})
