import { useState } from 'react'
import type {
  McpListedResource,
  McpResourceTemplate,
  McpServerDetail,
} from '../../../contract/endpoints/mcp.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { Button } from '../../ui/controls/button.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { escapeHidden } from '../../ui/escape-hidden.ts'
import { Pending } from '../../ui/state/pending.tsx'
import { McpContentSection } from './mcp-content-section.tsx'
import { ResourcePart } from './resource-part.tsx'

/** The resources of an MCP server and its resource templates; those of connected servers can be read. */
export function McpResources({ server }: { readonly server: McpServerDetail }) {
  const { id: serverId, kind, status } = server
  const enabled = status === 'ready'
  const { data, error, refetch } = useEndpoint('listMcpResources', { params: { serverId } }, { enabled })
  return (
    <McpContentSection title="Resources" entries={data} error={error} refetch={refetch}>
      {(entry, index) => (
        <Entry key={index} entry={entry} serverId={serverId} readable={kind === 'connected'} />
      )}
    </McpContentSection>
  )
}

interface EntryProps {
  readonly entry: McpListedResource | McpResourceTemplate
  readonly serverId: string
  readonly readable: boolean
}

function Entry({ entry, serverId, readable }: EntryProps) {
  const { name, title, description, mimeType } = entry
  const address = addressOf(entry)
  const [uri, setUri] = useState(address)
  const [requested, setRequested] = useState<string>()
  return (
    <li className="border-b border-line py-1">
      <details>
        <summary className="break-words">
          <span className="break-all font-mono text-sm">{escapeHidden(address)}</span>
          {(title ?? name) !== address && <span className="pl-2">{escapeHidden(title ?? name)}</span>}
          {description !== null && <span className="pl-3 text-dim">{escapeHidden(description)}</span>}
        </summary>
        <div className="flex flex-col gap-2 py-2 pl-4">
          <p className="text-sm text-dim">
            {[
              'uri' in entry ? 'resource' : 'template',
              mimeType,
              'size' in entry && entry.size !== null && `${entry.size} bytes`,
            ]
              .filter(Boolean)
              .join(' · ')}
          </p>
          {readable && (
            <form
              className="flex max-w-3xl flex-col items-start gap-2"
              onSubmit={(event) => {
                event.preventDefault()
                setRequested(uri)
              }}
            >
              {'uriTemplate' in entry && (
                <div className="w-full">
                  <TextField label="URI" value={uri} onChange={setUri} required />
                </div>
              )}
              <Button type="submit" size="small">
                Read
              </Button>
            </form>
          )}
          {requested !== undefined && <Contents key={requested} serverId={serverId} uri={requested} />}
        </div>
      </details>
    </li>
  )
}

function addressOf(entry: McpListedResource | McpResourceTemplate): string {
  return 'uri' in entry ? entry.uri : entry.uriTemplate
}

function Contents({ serverId, uri }: { readonly serverId: string; readonly uri: string }) {
  const { data, error, refetch } = useEndpoint('readMcpResource', { params: { serverId }, query: { uri } })
  if (!data) return <Pending error={error} retry={refetch} />
  if (data.contents.length === 0) return <p className="text-dim">No contents</p>
  return data.contents.map((part, index) => <ResourcePart key={index} part={part} />)
}
