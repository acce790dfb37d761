import { useState } from 'react'
import type { McpListedPrompt, McpServerDetail } from '../../../contract/endpoints/mcp.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { JsonView } from '../../json/json-view.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { escapeHidden } from '../../ui/escape-text.ts'
import { Pending } from '../../ui/state/states.tsx'
import { McpContentSection } from './mcp-content-section.tsx'

/** The prompts of an MCP server; those of connected servers can be filled in. */
export function McpPrompts({ server }: { readonly server: McpServerDetail }) {
  const { id: serverId, kind, status } = server
  const enabled = status === 'ready'
  const { data, error, refetch } = useEndpoint('listMcpPrompts', { params: { serverId } }, { enabled })
  return (
    <McpContentSection title="Prompts" entries={data} error={error} refetch={refetch}>
      {(prompt, index) => (
        <Entry key={index} prompt={prompt} serverId={serverId} usable={kind === 'connected'} />
      )}
    </McpContentSection>
  )
}

interface EntryProps {
  readonly prompt: McpListedPrompt
  readonly serverId: string
  readonly usable: boolean
}

function Entry({ prompt, serverId, usable }: EntryProps) {
  const { name, title, description } = prompt
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [requested, setRequested] = useState<string>()
  return (
    <li className="border-b border-line py-1">
      <details>
        <summary className="break-words">
          <span className="break-all font-mono text-sm">{escapeHidden(name)}</span>
          {title !== null && title !== name && <span className="pl-2">{escapeHidden(title)}</span>}
          {description !== null && <span className="pl-3 text-dim">{escapeHidden(description)}</span>}
        </summary>
        <form
          className="flex max-w-3xl flex-col items-start gap-2 py-2 pl-4"
          onSubmit={(event) => {
            event.preventDefault()
            setRequested(JSON.stringify(values))
          }}
        >
          {prompt.arguments.map((argument) => (
            <div key={argument.name} className="w-full">
              <TextField
                label={escapeHidden(argument.name)}
                value={values[argument.name] ?? ''}
                required={argument.required}
                hint={argument.description === null ? undefined : escapeHidden(argument.description)}
                onChange={(value) => setValues(withValue(values, argument.name, value))}
              />
            </div>
          ))}
          {usable && (
            <Button type="submit" size="small">
              Get messages
            </Button>
          )}
        </form>
        {requested !== undefined && (
          <Messages key={requested} serverId={serverId} name={name} values={requested} />
        )}
      </details>
    </li>
  )
}

/** An argument without a value is not sent. */
function withValue(values: Readonly<Record<string, string>>, name: string, value: string) {
  const { [name]: _, ...others } = values
  return value === '' ? others : { ...others, [name]: value }
}

interface MessagesProps {
  readonly serverId: string
  readonly name: string
  /** JSON. */
  readonly values: string
}

function Messages({ serverId, name, values }: MessagesProps) {
  const query = { name, arguments: values }
  const { data, error, refetch } = useEndpoint('getMcpPrompt', { params: { serverId }, query })
  if (!data) return <Pending error={error} retry={refetch} />
  return (
    <ol aria-label="Messages" className="flex max-w-3xl flex-col gap-2 py-2 pl-4">
      {data.messages.map(({ role, content }, index) => (
        <li key={index} className="rounded-sm border border-line bg-raised p-2">
          <p className="text-sm text-dim">{role}</p>
          {content.type === 'text' && typeof content['text'] === 'string' ? (
            <p className="whitespace-pre-wrap break-words">{escapeHidden(content['text'])}</p>
          ) : (
            <JsonView value={content} label={`Message ${index + 1}`} open={2} />
          )}
        </li>
      ))}
    </ol>
  )
}
