import type { Services } from '../../services/services.ts'
import { clientCode } from '../../code/client-code.ts'
import { curlCode } from '../../code/curl-code.ts'
import { fetchCode } from '../../code/fetch-code.ts'
import { openerOf } from '../../code/request-code.ts'
import { shellQuoted } from '../../code/shell-quoted.ts'

/** A call of a tool as curl, command line, fetch and client code. */
export function toolCodes(
  { api, credentials, addresses }: Services,
  { name, input }: { readonly name: string; readonly input: unknown },
) {
  const params = { name }
  const opener = openerOf(credentials, 'token')
  const url = api.urlOf('executeTool', { params })
  const request = { method: 'POST', url, body: JSON.stringify({ input }), opener }
  return {
    curl: curlCode(request),
    cli: `npx agentserver run-tool ${shellQuoted(name)} --input ${shellQuoted(JSON.stringify(input))}`,
    fetch: fetchCode(request),
    client: clientCode({
      key: 'executeTool',
      call: { params, body: { input } },
      isStream: false,
      baseUrl: new URL(addresses.api, addresses.origin).href,
      opener,
    }),
  }
}
