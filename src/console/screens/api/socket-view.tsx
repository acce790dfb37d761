import { useServices } from '../../services/services-context.tsx'
import type { Services } from '../../services/services.ts'
import { CodeTabs } from '../../code/code-tabs.tsx'
import { AccessNote } from './access-note.tsx'
import type { SocketChannel } from './api-description.ts'

/** A WebSocket channel, with code to open it. */
export function SocketView({ socket }: { readonly socket: SocketChannel }) {
  const services = useServices()
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-4 overflow-auto p-4">
      <header>
        <h2 className="break-all font-mono text-base font-semibold">
          <span className="pr-1 text-dim">WS</span> {socket.path}
        </h2>
        <AccessNote access={socket.access} credentials={socket.credentials} />
        <p className="max-w-2xl pt-1 text-dim">
          Browsers cannot set headers on a WebSocket handshake: pass the credential in the query, as key,
          token or dev=true.
        </p>
      </header>
      <div className="max-w-3xl">
        <CodeTabs label="Code for" codes={socketCodes(socket, services)} />
      </div>
    </div>
  )
}

function socketCodes(
  { path, access, credentials: accepted }: SocketChannel,
  { addresses, credentials }: Services,
) {
  const plain = path.replace(/\/\*\*?$/, '')
  const url = new URL(addresses.api + plain.slice(1), addresses.origin.replace(/^http/, 'ws')).href
  const query =
    accepted.length === 0 ? '' : credentials.bypass ? '?dev=true' : `?${access === 'user' ? 'token' : 'key'}=`
  const secret = query.endsWith('=')
    ? access === 'user'
      ? 'ACCESS_TOKEN'
      : 'SERVICE_CONSOLE_ACCESS_KEY'
    : ''
  return {
    JavaScript: [
      `const socket = new WebSocket(${JSON.stringify(url + query)}${secret && ` + process.env.${secret}`})`,
      "socket.addEventListener('message', ({ data }) => console.log(data))",
    ].join('\n'),
    wscat: `npx wscat -c "${url}${query}${secret && `$${secret}`}"`,
  }
}
