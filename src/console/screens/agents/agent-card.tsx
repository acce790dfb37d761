import { useQuery } from '@tanstack/react-query'
import { useServices } from '../../services/services-context.tsx'
import { ConnectClient } from '../../code/connect-client.tsx'
import { curlCode, credentialFor } from '../../code/request-code.ts'
import { JsonView } from '../../json/json-view.tsx'
import { useCopyKeys } from '../../keys/use-keys.ts'
import { Pending } from '../../ui/state/states.tsx'

/** The A2A card of the agent, and code to connect a client. */
export function AgentCard({ agentId: id }: { readonly agentId: string }) {
  const services = useServices()
  const { api } = services
  const { data, error, refetch } = useQuery({
    queryKey: ['getAgentCard', id],
    queryFn: async ({ signal }) =>
      JSON.parse(await api.text('getAgentCard', { params: { id }, signal })) as unknown,
  })
  const codes = cardCodes(services, id)
  useCopyKeys('Card', () => codes.card)
  return (
    <div
      className="flex min-h-0 flex-1 flex-col gap-6 overflow-auto p-4"
      tabIndex={0}
      role="region"
      aria-label="Card"
    >
      <ConnectClient
        url={codes.cardUrl}
        what="URL of the card"
        codes={{
          TypeScript: codes.typescript,
          'curl (message)': codes.message,
          'curl (card)': codes.card,
        }}
      >
        <p className="pb-2 text-dim">
          Clients of the Agent2Agent (A2A) protocol need only the URL of the card:
        </p>
      </ConnectClient>
      <section aria-label="Agent card" className="max-w-4xl">
        <h2 className="pb-1 font-semibold">Card</h2>
        {data !== undefined ? (
          <JsonView value={data} label="Card" open={3} />
        ) : (
          <Pending error={error} retry={refetch} />
        )}
      </section>
    </div>
  )
}

function cardCodes({ api, credentials }: ReturnType<typeof useServices>, id: string) {
  const params = { id }
  const cardUrl = api.urlOf('getAgentCard', { params })
  const parts = [{ text: 'Hello' }]
  const message = { messageId: 'message-1', role: 'ROLE_USER', parts }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } })
  return {
    cardUrl,
    card: curlCode({ method: 'GET', url: cardUrl, credential: credentialFor(credentials, 'key') }),
    message: curlCode({
      method: 'POST',
      url: api.urlOf('callA2a', { params }),
      headers: { 'A2A-Version': '1.0' },
      body,
      credential: credentialFor(credentials, 'token'),
    }),
    typescript: [
      "import { SendMessageRequest } from '@a2a-js/sdk'",
      "import { ClientFactory } from '@a2a-js/sdk/client'",
      '',
      `const client = await new ClientFactory().createFromUrl(${JSON.stringify(cardUrl)})`,
      "const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'Hello' }] }",
      'const response = await client.sendMessage(SendMessageRequest.fromJSON({ message }))',
    ].join('\n'),
  }
}
