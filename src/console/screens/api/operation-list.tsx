import { Fragment, useEffect, useRef } from 'react'
import { Link } from '../../router/link.tsx'
import type { Operation, SocketChannel } from './api-description.ts'

export interface OperationListProps {
  readonly operations: readonly Operation[]
  readonly sockets: readonly SocketChannel[]
  readonly chosen: string
  /** Kept in the URLs. */
  readonly filter: Filter
}

export interface Filter {
  readonly q: string
  readonly access: string
}

/** The path of an operation within the console. */
export function operationPath(id: string, filter: Filter): string {
  const active = Object.entries(filter).filter(([, value]) => value !== '')
  const query = new URLSearchParams([['operation', id], ...(active as [string, string][])])
  return `api?${query.toString()}`
}

/** Identifies a channel in the URL. */
export function socketId({ path }: SocketChannel): string {
  return `WS ${path}`
}

/** All operations and channels, by group. */
export function OperationList({ operations, sockets, chosen, filter }: OperationListProps) {
  const list = useRef<HTMLElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  const groups = [...new Set(operations.map(({ group }) => group))]
  return (
    <nav
      ref={list}
      aria-label="Endpoints"
      className="w-96 shrink-0 overflow-y-auto border-line pb-4 max-xl:w-72 max-sm:max-h-72 max-sm:w-full max-sm:border-b sm:border-r"
    >
      {groups.map((group) => (
        <section key={group} aria-label={group}>
          <h2 className="px-4 pb-0.5 pt-3 text-sm font-semibold">{group}</h2>
          <ul>
            {operations
              .filter((operation) => operation.group === group)
              .map(({ id, method, path, summary }) => (
                <Row key={id} {...{ id, method, path, filter, title: summary, isChosen: id === chosen }} />
              ))}
          </ul>
        </section>
      ))}
      {sockets.length > 0 && (
        <section aria-label="WebSocket">
          <h2 className="px-4 pb-0.5 pt-3 text-sm font-semibold">WebSocket</h2>
          <ul>
            {sockets.map((socket) => {
              const id = socketId(socket)
              return (
                <Row
                  key={id}
                  {...{ id, method: 'WS', path: socket.path, filter, title: id, isChosen: id === chosen }}
                />
              )
            })}
          </ul>
        </section>
      )}
    </nav>
  )
}

interface RowProps {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly title: string
  readonly filter: Filter
  readonly isChosen: boolean
}

function Row({ id, method, path, title, filter, isChosen }: RowProps) {
  return (
    <li>
      <Link
        to={operationPath(id, filter)}
        title={title}
        current={isChosen}
        className={`flex items-baseline gap-2 px-4 py-1 font-mono text-sm hover:bg-hover ${isChosen ? 'bg-chosen' : ''}`}
      >
        <span className="w-12 shrink-0 text-dim">{method}</span>
        <span className="min-w-0 break-words">
          {path.split('/').map((part, index) => (
            // allows line breaks between the segments
            <Fragment key={`${index} ${part}`}>
              {index > 0 && '/'}
              <wbr />
              {part}
            </Fragment>
          ))}
        </span>
      </Link>
    </li>
  )
}
