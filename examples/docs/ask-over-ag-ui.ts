import { HttpAgent } from '@ag-ui/client'

/** Sends a message to an agent and prints the answer while it grows. */
export async function askOverAgUi(url: string, text: string): Promise<void> {
  const agent = new HttpAgent({ url })
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: text })
  await agent.runAgent(
    {},
    {
      onTextMessageContentEvent: ({ event }) => {
        process.stdout.write(event.delta)
      },
    },
  )
}
