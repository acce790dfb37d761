import { ApprovalRequiredError, createAgent } from 'agentserver'
import { z } from 'zod'

const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Answer questions about orders.' })

const Mail = z.object({ topic: z.enum(['order', 'refund', 'other']), urgent: z.boolean() })

/** Sorts a mail: `object` has the type of the schema. */
export async function sort(mail: string): Promise<string> {
  const { object } = await clerk.generate(mail, { schema: Mail })
  return object.urgent ? `${object.topic}!` : object.topic
}

/** Writes an answer as it comes. Returns what it has cost, in US dollars. */
export async function print(question: string, write: (text: string) => void): Promise<number | null> {
  const answer = clerk.stream(question)
  for await (const part of answer) if (part.type === 'text-delta') write(part.text)
  return (await answer.result).usage.costUsd
}

/** Asks for what may need approval. */
export async function refund(order: number): Promise<string> {
  try {
    return (await clerk.generate(`Refund order ${order}`)).text
  } catch (error) {
    if (!(error instanceof ApprovalRequiredError)) throw error
    return `Run ${error.runId} needs approval of ${error.calls[0]?.toolName}`
  }
}

/** The same as a run that goes on when it is approved. */
export async function refundLater(order: number): Promise<string> {
  const answer = await clerk.generate(`Refund order ${order}`, { resumable: true })
  if (answer.status === 'completed') return answer.text
  return `Run ${answer.runId} needs approval of ${answer.approvals[0]?.toolName}`
}
