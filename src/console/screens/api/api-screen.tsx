import { hasWords } from '../../search/found.ts'
import { useEffect, useRef } from 'react'
import { CodeTabs } from '../../code/code-tabs.tsx'
import { FilterBar, FilterSelect, FilterText } from '../../filters/filter-bar.tsx'
import { useKeys } from '../../keys/use-keys.ts'
import { useUrlState } from '../../router/use-url-state.ts'
import { useServices } from '../../services/services-context.tsx'
import type { Services } from '../../services/services.ts'
import { KeyValue } from '../../ui/layout/key-value.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { Pending, EmptyState } from '../../ui/state/states.tsx'
import { countText } from '../../ui/time/format-time.ts'
import { AccessNote, OperationView } from './operation-view.tsx'
import { useApiDescription } from './use-api-description.ts'
import type { ApiDescription, Operation, SocketChannel } from './api-description.ts'
import { OperationList, operationPath, socketId } from './operation-list.tsx'
import type { Filter } from './operation-list.tsx'

const STATE = { operation: '', q: '', access: '' }

/** The API explorer: all endpoints and channels of the server, with forms to call them. */
export function ApiScreen() {
  const [{ operation: chosen, q, access }, set] = useUrlState(STATE)
  const { data, error, refetch } = useApiDescription()
  const shown = data && filterDescription(data, { q, access })
  return (
    <>
      <PageHeader
        title="API"
        aside={data && <span className="text-dim">{`${countText(data.operations.length)} endpoints`}</span>}
      />
      <FilterBar>
        <FilterText label="Search endpoints" first value={q} onChange={(text) => set({ q: text })} />
        <FilterSelect
          label="Access"
          value={access}
          options={['public', 'console', 'user']}
          onChange={(one) => set({ access: one })}
        />
      </FilterBar>
      {shown ? (
        <div className="flex min-h-0 flex-1 max-sm:flex-col max-sm:overflow-y-auto">
          {shown.operations.length + shown.sockets.length === 0 ? (
            <div className="w-96 shrink-0 border-line max-xl:w-72 max-sm:w-full sm:border-r">
              <EmptyState title="No endpoints match these filters" />
            </div>
          ) : (
            <OperationList {...shown} chosen={chosen} filter={{ q, access }} />
          )}
          <Chosen description={data} chosen={chosen} />
          <ListKeys operations={shown.operations} chosen={chosen} filter={{ q, access }} />
        </div>
      ) : (
        <Pending error={error} retry={refetch} />
      )}
    </>
  )
}

function Chosen({ description, chosen }: { readonly description: ApiDescription; readonly chosen: string }) {
  const operation = description.operations.find(({ id }) => id === chosen)
  if (operation) return <OperationView key={chosen} operation={operation} />
  const socket = description.sockets.find((one) => socketId(one) === chosen)
  if (socket) return <SocketView socket={socket} />
  return <Welcome chosen={chosen} />
}

function Welcome({ chosen }: { readonly chosen: string }) {
  const { api, addresses } = useServices()
  const links = [
    [new URL(addresses.api, addresses.origin).href, 'Base URL'],
    [api.urlOf('getApiDescription', {}), 'OpenAPI 3.1'],
    [api.urlOf('getApiExplorer', {}), 'Swagger UI'],
  ] as const
  return (
    <EmptyState title={chosen === '' ? 'Select an endpoint' : `${chosen} not found`}>
      <p className="pb-3">
        Requests are sent with the credentials of this console: console key, user token or development bypass.
      </p>
      <KeyValue rows={links.map(([url, name]) => [name, <ExternalLink key={url} url={url} />])} />
    </EmptyState>
  )
}

function ExternalLink({ url }: { readonly url: string }) {
  return (
    <a
      href={url}
      target="_blank"
      rel="noreferrer"
      className="break-all font-mono text-sm text-accent underline"
    >
      {url}
    </a>
  )
}

/** Shortcuts to select the next or previous endpoint. */
function ListKeys(props: { operations: readonly Operation[]; chosen: string; filter: Filter }) {
  const { operations, chosen, filter } = props
  const { router } = useServices()
  const index = operations.findIndex(({ id }) => id === chosen)
  // keys may be faster than changes of the URL
  const at = useRef(index)
  useEffect(() => {
    at.current = index
  }, [index])
  const go = (step: number) => {
    const to = Math.max(0, Math.min(operations.length - 1, at.current + step))
    at.current = to
    const next = operations[to]
    if (next) void router.navigate(operationPath(next.id, filter), { replace: true })
  }
  useKeys([
    { keys: 'j', label: 'Next endpoint', group: 'API', run: () => go(1) },
    { keys: 'k', label: 'Previous endpoint', group: 'API', run: () => go(-1) },
  ])
  return null
}

function filterDescription({ operations, sockets }: ApiDescription, { q, access }: Filter) {
  return {
    operations: operations.filter(
      ({ id, method, path, summary, group, access: own }) =>
        hasWords(q, id, method, path, summary, group) && (access === '' || own === access),
    ),
    sockets: sockets.filter(
      (socket) => hasWords(q, socketId(socket), 'websocket') && (access === '' || socket.access === access),
    ),
  }
}

/** A WebSocket channel, with code to open it. */
function SocketView({ socket }: { readonly socket: SocketChannel }) {
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
