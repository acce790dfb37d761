// sends a request with the stored token of the user, refreshed when it has expired, and prints the status
import { OAuthLogin } from '../../../src/mcp/connected/oauth/oauth-login.ts'

const [url] = process.argv.slice(2)
const login = new OAuthLogin({ url, redirectUrl: () => undefined, onSecrets: () => undefined })
const send = async () =>
  fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await login.authProvider.token()}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  })
const refused = await send()
if (refused.status === 401) await login.authProvider.onUnauthorized({ response: refused })
const response = refused.status === 401 ? await send() : refused
process.stdout.write(String(response.status))
