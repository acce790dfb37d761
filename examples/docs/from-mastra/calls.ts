import { createClient } from 'agentserver/client'

// #region calls
export async function summarize(baseUrl: string) {
  const client = createClient({ baseUrl })
  const events = client
    .workflow('summary')
    .stream({ message: 'Hello world' })
  for await (const event of events) {
    if (event.type === 'workflow-result') return event
  }
  return undefined
}
// #endregion
