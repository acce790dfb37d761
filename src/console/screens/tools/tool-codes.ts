import type { Services } from '../../services/services.ts'
import { clientCode } from '../../code/client-code.ts'
import { curlCode } from '../../code/curl-code.ts'
import { fetchCode } from '../../code/fetch-code.ts'
import { credentialFor } from '../../code/request-code.ts'
import { shellQuote } from '../../code/shell-quote.ts'

/** A tool call as curl, CLI, fetch and client code. */
export function toolCodes(
  { api, credentials, addresses }: Services,
  { name, input }: { readonly name: string; readonly input: unknown },
) {
  const params = { name }
  const credential = credentialFor(credentials, 'token')
  const url = api.urlOf('executeTool', { params })
  const request = { method: 'POST', url, body: JSON.stringify({ input }), credential }
  return {
    curl: curlCode(request),
    cli: `npx agentserver run-tool ${shellQuote(name)} --input ${shellQuote(JSON.stringify(input))}`,
    fetch: fetchCode(request),
    client: clientCode({
      key: 'executeTool',
      call: { params, body: { input } },
      isStream: false,
      baseUrl: new URL(addresses.api, addresses.origin).href,
      credential,
    }),
  }
}
