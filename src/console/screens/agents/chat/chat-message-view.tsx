import { memo, useState, useEffect, useRef } from 'react'
import type { KeyboardEvent } from 'react'
import { ApprovalPanel } from '../../../approvals/approval-panel.tsx'
import { GrowingMarkdown } from '../../../markdown/growing-markdown.tsx'
import { Link } from '../../../router/link.tsx'
import { Button, IconButton, CopyButton } from '../../../ui/controls/button.tsx'
import { FIELD } from '../../../ui/controls/text-field.tsx'
import { useDiscard } from '../../../ui/dialog/discard-question.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { textOf } from './session/chat-message.ts'
import type { ChatMessage, ChatPart } from './session/chat-message.ts'
import type { ApprovalResponse } from './session/chat-session.ts'
import { AnswerDetailsLine } from './answer-details-line.tsx'
import { AnswerFailure } from './answer-failure.tsx'
import { ToolPartView } from './tool-part-view.tsx'

export interface ChatMessageViewProps {
  readonly message: ChatMessage
  readonly agentName: string
  /** Whether messages can be edited: no answer is streaming. */
  readonly canChange: boolean
  readonly edit: (id: string, text: string) => void
  readonly regenerate: (id: string) => void
  readonly agentId: string
  /** Decides about a call of a run; rejects if that is refused. */
  readonly decide: (runId: string, response: ApprovalResponse) => Promise<void>
  /** Trace id from the history, if the stream had none. */
  readonly traceId: string | undefined
  /** Error from the history, which is more detailed than the response of the API. */
  readonly reason: string | undefined
}

/** One message. Not rendered again while others stream. Callbacks must be stable. */
export const ChatMessageView = memo(function ChatMessageView(props: ChatMessageViewProps) {
  return props.message.role === 'user' ? <Question {...props} /> : <Answer {...props} />
})

function Question({ message, canChange, edit }: ChatMessageViewProps) {
  const [isEdited, setEdited] = useState(false)
  const text = textOf(message)
  const others = message.parts.filter((part) => part.type === 'other')
  return (
    <article
      aria-label="You"
      className={`group/message rounded-md border border-line bg-panel px-3 py-2 ${entering(message)}`}
    >
      <div className="flex h-6 items-center gap-1 text-sm">
        <h3 className="font-semibold">You</h3>
        <span className="ml-auto flex opacity-0 group-focus-within/message:opacity-100 group-hover/message:opacity-100">
          <CopyButton text={text} label="Copy message" />
          {canChange && !isEdited && (
            <IconButton label="Edit and resend" onClick={() => setEdited(true)}>
              <Icon name="edit" />
            </IconButton>
          )}
        </span>
      </div>
      {isEdited ? (
        <MessageEditor
          text={text}
          cancel={() => setEdited(false)}
          send={(changed) => {
            setEdited(false)
            edit(message.id, changed)
          }}
        />
      ) : (
        <p className="whitespace-pre-wrap break-words">{text}</p>
      )}
      {others.map((part, index) => (
        <p key={index} className="text-sm text-dim">
          Attachment: {part.text}
        </p>
      ))}
    </article>
  )
}

function Answer(props: ChatMessageViewProps) {
  const { message, agentName, agentId, canChange, regenerate, decide, traceId, reason } = props
  const { id, parts, approvals = [], details = { status: 'completed' } } = message
  const isFinal = details.status !== 'streaming' && details.status !== 'reconnecting'
  return (
    <article
      aria-label={agentName}
      aria-busy={!isFinal}
      className={`group/message flex flex-col gap-2 px-3 ${entering(message)}`}
    >
      <h3 className="text-sm font-semibold">{agentName}</h3>
      {parts.map((part, index) => (
        <AnswerPart
          key={index}
          part={part}
          isFinal={isFinal}
          waits={part.type === 'tool' && approvals.some(({ toolCallId }) => toolCallId === part.toolCallId)}
        />
      ))}
      {approvals.map((approval) => (
        <ApprovalPanel
          key={approval.approvalId}
          approval={approval}
          run={{ agentId, runId: id }}
          send={decide}
        />
      ))}
      {details.status === 'reconnecting' && (
        <p role="status" className="flex items-center gap-1.5 text-suspended">
          <Icon name="retry" /> The connection was lost. Reconnecting…
        </p>
      )}
      {details.status === 'streaming' && parts.length === 0 && (
        <p className="text-dim">Waiting for the response…</p>
      )}
      {details.status === 'stopped' && <p className="text-sm text-dim">Cancelled</p>}
      {details.status === 'error' && (
        <AnswerFailure
          error={details.error}
          reason={reason}
          {...(canChange && { retry: () => regenerate(id) })}
        />
      )}
      {isFinal && (
        <div className="flex min-h-6 flex-wrap items-center gap-x-3 text-sm text-dim">
          <AnswerDetailsLine details={details} traceId={details.traceId ?? traceId} />
          <LabLink agentId={agentId} traceId={details.traceId ?? traceId} />
          <span className="flex">
            <CopyButton text={() => textOf(message)} label="Copy response" />
            {canChange && (
              <IconButton label="Regenerate" onClick={() => regenerate(id)}>
                <Icon name="retry" />
              </IconButton>
            )}
          </span>
        </div>
      )}
    </article>
  )
}

/** Messages of this page enter; those of the history are there. */
function entering({ key }: ChatMessage): string {
  return key === undefined ? '' : 'enter'
}

/** Asks the question of an answer again, with changes. */
function LabLink({ agentId, traceId }: { readonly agentId: string; readonly traceId: string | undefined }) {
  if (traceId === undefined) return null
  return (
    <Link
      to={`agents/${encodeURIComponent(agentId)}/lab?trace=${traceId}`}
      className="inline-flex min-h-6 items-center text-accent hover:underline"
    >
      Prompt lab
    </Link>
  )
}

interface AnswerPartProps {
  readonly part: ChatPart
  readonly isFinal: boolean
  /** Whether it is a tool call that waits for a decision. */
  readonly waits: boolean
}

function AnswerPart({ part, isFinal, waits }: AnswerPartProps) {
  if (part.type === 'tool') return <ToolPartView part={part} isFinal={isFinal} waits={waits} />
  if (part.type === 'other') return <p className="break-words text-dim">{part.text}</p>
  if (part.text === '') return null
  if (part.type === 'text') return <GrowingMarkdown text={part.text} />
  return (
    <details className="rounded-md border border-line px-2 py-1">
      <summary className="text-dim">Reasoning</summary>
      <div className="pt-1 text-dim">
        <GrowingMarkdown text={part.text} />
      </div>
    </details>
  )
}

interface MessageEditorProps {
  readonly text: string
  readonly send: (text: string) => void
  readonly cancel: () => void
}

/** Editor for an earlier message. */
function MessageEditor({ text, send, cancel }: MessageEditorProps) {
  const [changed, setChanged] = useState(text)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  const { requestDiscard, question } = useDiscard(changed !== text, cancel)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') requestDiscard()
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && changed.trim() !== '') send(changed)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="flex flex-col gap-2">
      <textarea
        ref={field}
        aria-label="Edited message"
        value={changed}
        rows={Math.min(12, changed.split('\n').length + 1)}
        onChange={({ target }) => setChanged(target.value)}
        onKeyDown={onKeyDown}
        className={FIELD}
      />
      <div className="flex items-center gap-2">
        <Button kind="primary" size="small" disabled={changed.trim() === ''} onClick={() => send(changed)}>
          Send
        </Button>
        <Button size="small" onClick={requestDiscard}>
          Cancel
        </Button>
        <span className="text-sm text-dim">Later messages are replaced.</span>
      </div>
      {question}
    </div>
  )
}
