import { useState } from 'react'
import type {
  McpListedResource,
  McpResourceTemplate,
  McpServerDetail,
  McpResourceContents,
} from '../../../contract/endpoints/mcp.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { Button, CopyButton } from '../../ui/controls/button.tsx'
import { saveFile } from '../../ui/controls/save-file.ts'
import { TextField } from '../../ui/controls/text-field.tsx'
import { escapeHidden } from '../../ui/escape-text.ts'
import { Pending } from '../../ui/state/states.tsx'
import { McpContentSection } from './mcp-content-section.tsx'

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

type Part = McpResourceContents['contents'][number]

const SHOWN_TEXT = 100_000

const SHOWN_IMAGE = 2_000_000

const IMAGE = /^image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)$/

/** One part of a resource: its text, its picture, or a button to save its bytes. */
function ResourcePart({ part: { uri, mimeType, text, blob } }: { readonly part: Part }) {
  if (blob === undefined) return <TextPart text={text ?? ''} />
  const isImage = mimeType !== null && IMAGE.test(mimeType) && blob.length <= SHOWN_IMAGE
  return (
    <figure className="flex flex-col items-start gap-2">
      {isImage && (
        <img
          src={`data:${mimeType};base64,${blob}`}
          alt={escapeHidden(uri)}
          className="max-h-80 max-w-full border border-line"
        />
      )}
      <figcaption className="flex items-center gap-2 text-sm text-dim">
        {`${byteCount(blob)} bytes of ${escapeHidden(mimeType ?? 'unknown type')}`}
        <Button size="small" onClick={() => save(uri, blob)}>
          Save
        </Button>
      </figcaption>
    </figure>
  )
}

function TextPart({ text }: { readonly text: string }) {
  return (
    <div className="relative max-w-3xl">
      <pre
        tabIndex={0}
        aria-label="Contents"
        className="max-h-96 overflow-auto whitespace-pre-wrap break-words rounded-sm border border-line bg-raised p-2 pr-10 font-mono text-sm"
      >
        {escapeHidden(text.slice(0, SHOWN_TEXT))}
      </pre>
      <div className="absolute right-1 top-1">
        <CopyButton text={text} />
      </div>
      {text.length > SHOWN_TEXT && (
        <p className="text-dim">{`${text.length - SHOWN_TEXT} more characters`}</p>
      )}
    </div>
  )
}

function byteCount(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4)
}

/** The type is not the server's, so that the browser never opens the file as a page. */
function save(uri: string, base64: string): void {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  const name = uri.split(/[/\\?#]/).findLast((segment) => segment !== '') ?? 'resource'
  saveFile(name, bytes, 'application/octet-stream')
}
