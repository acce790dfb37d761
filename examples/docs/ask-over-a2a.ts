import { SendMessageRequest } from '@a2a-js/sdk'
import { ClientFactory } from '@a2a-js/sdk/client'

/** Sends a message to an agent of any A2A server and returns its answer. */
export async function askOverA2a(cardUrl: string, text: string): Promise<string> {
  const client = await new ClientFactory().createFromUrl(cardUrl)
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] }
  const answer = await client.sendMessage(SendMessageRequest.fromJSON({ message }))
  if (!('artifacts' in answer)) throw new Error('The response is a message, not a task')
  const parts = answer.artifacts.flatMap((artifact) => artifact.parts)
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('')
}
