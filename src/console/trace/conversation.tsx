import { useState } from 'react'
import { GrowingMarkdown } from '../markdown/growing-markdown.tsx'
import { JsonView } from '../json/json-view.tsx'
import { escapeHidden } from '../ui/escape-text.ts'
import { countText } from '../ui/time/format-time.ts'
import type { MessagePart, TracedMessage } from './read-messages.ts'

/** Number of messages shown at first: the newest. */
const SHOWN = 20
const MAX_LENGTH = 4000

/** The messages of a model call. */
export function Conversation({ messages }: { readonly messages: readonly TracedMessage[] }) {
  const [all, setAll] = useState(false)
  const hidden = all ? 0 : Math.max(0, messages.length - SHOWN)
  return (
    <>
      {hidden > 0 && (
        <MoreButton onClick={() => setAll(true)}>{countText(hidden)} earlier messages</MoreButton>
      )}
      <ol className="flex flex-col gap-2">
        {messages.slice(hidden).map(({ role, parts }, index) => (
          <li key={hidden + index} className="border-l-2 border-line-strong pl-2">
            <div className="text-sm text-dim">{role}</div>
            <div className="flex flex-col gap-1">
              {parts.map((part, at) => (
                <Part key={at} part={part} />
              ))}
            </div>
          </li>
        ))}
      </ol>
    </>
  )
}

function Part({ part }: { readonly part: MessagePart }) {
  const { type, content, name } = part
  if (type === 'tool_call')
    return (
      <LabelledJson
        title={`calls ${String(name)}`}
        value={part.arguments}
        label={`Arguments of ${String(name)}`}
      />
    )
  if (type === 'tool_call_response')
    return <LabelledJson title="tool result" value={part.response} label="Tool result" />
  if (typeof content === 'string') return <LongText text={content} note={type === 'text' ? '' : type} />
  return <LabelledJson title={type} value={content ?? part} label={type} />
}

function LabelledJson({ title, value, label }: { title: string; value: unknown; label: string }) {
  return (
    <div>
      <div className="break-words font-mono text-sm">{title}</div>
      <JsonView value={value} label={label} open={1} />
    </div>
  )
}

function LongText({ text, note }: { readonly text: string; readonly note: string }) {
  const [isExpanded, setExpanded] = useState(false)
  const isTruncated = text.length > MAX_LENGTH && !isExpanded
  return (
    <div>
      {note !== '' && <span className="text-sm text-dim">{note}</span>}
      <GrowingMarkdown
        text={escapeHidden((isTruncated ? text.slice(0, MAX_LENGTH) : text).replaceAll('\r\n', '\n'))}
      />
      {isTruncated && (
        <MoreButton onClick={() => setExpanded(true)}>
          {countText(text.length - MAX_LENGTH)} more characters
        </MoreButton>
      )}
    </div>
  )
}

function MoreButton({ onClick, children }: { onClick: () => void; children: React.ReactNode }) {
  return (
    <button type="button" className="text-accent hover:underline" onClick={onClick}>
      {children}
    </button>
  )
}
