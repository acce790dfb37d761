import { useState } from 'react'
import { ATTRIBUTE } from '../../../contract/attributes.ts'
import type { Span } from '../../../contract/endpoints/trace.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { JsonView } from '../../json/json-view.tsx'
import { Link } from '../../router/link.tsx'
import { Conversation } from '../../trace/conversation.tsx'
import { Conversations } from '../../trace/conversations.tsx'
import { readMessagesIn, readValue } from '../../trace/read-messages.ts'
import type { TracedMessage } from '../../trace/read-messages.ts'
import { oneLine } from '../../ui/escape-text.ts'
import { Section, SidePanel } from '../../ui/layout/side-panel.tsx'
import { LogLevelMark, StatusBadge } from '../../ui/state/status-badge.tsx'
import { exactTime } from '../../ui/time/format-time.ts'
import { spanTitle, textOf } from './span-category.ts'
import { AttributeList, SpanError, SpanEvents, SpanLinks } from './span-events.tsx'
import { ModelDetails, SHOWN_ATTRIBUTES, SpanDetails } from './span-details.tsx'
import type { SpanDetailsProps } from './span-details.tsx'

export interface SpanPanelProps extends SpanDetailsProps {
  readonly close: () => void
  /** The spans of the trace. */
  readonly spans: readonly Span[]
}

/** The details of a span. */
export function SpanPanel({ close, spans, ...props }: SpanPanelProps) {
  const { span, parent } = props
  const { attributes } = span
  const { messages, shownAttributes } = contentsOf(span)
  const agentId = parent ? textOf(parent, ATTRIBUTE.agentId) : ''
  const isModelCall = ATTRIBUTE.requestModel in attributes || ATTRIBUTE.inputTokens in attributes
  return (
    <SidePanel title={spanTitle(span)} close={close} aside={<StatusBadge status={span.status} />}>
      <SpanDetails {...props} />
      <RunContents span={span} spans={spans} />
      {isModelCall && (
        <Section title="Model">
          <ModelDetails span={span} />
          <LabLink span={span} agentId={agentId} />
        </Section>
      )}
      {messages.length > 0 && (
        <Section title="Conversation">
          <Conversation messages={messages} />
        </Section>
      )}
      <SpanLogs span={span} />
      {attributeGroups(span, shownAttributes).map(({ name, attributes: members }) => (
        <Section key={name} title={name}>
          <AttributeList attributes={members} />
        </Section>
      ))}
      {span.events.length > 0 && (
        <Section title={`${span.events.length} ${span.events.length === 1 ? 'event' : 'events'}`}>
          <SpanEvents span={span} />
        </Section>
      )}
      {span.links.length > 0 && (
        <Section title="Links">
          <SpanLinks span={span} />
        </Section>
      )}
      <RawSpan span={span} />
    </SidePanel>
  )
}

interface SpanContents {
  readonly messages: readonly TracedMessage[]
  /** The attributes with inputs and outputs, and their titles. */
  readonly contents: readonly (readonly [name: string, title: string])[]
  /** The names of the attributes that are shown so. */
  readonly shownAttributes: ReadonlySet<string>
}

function contentsOf({ attributes }: Span): SpanContents {
  const conversations = MESSAGES.map(
    ([name, role]) => [name, readMessagesIn(attributes[name], role)] as const,
  )
  const contents = CONTENTS.filter(([name]) => name in attributes)
  return {
    messages: conversations.flatMap(([, found]) => found ?? []),
    contents,
    shownAttributes: new Set([
      ...SHOWN_ATTRIBUTES,
      ...contents.map(([name]) => name),
      ...conversations.filter(([, found]) => found).map(([name]) => name),
    ]),
  }
}

/** What went into a run and what came out: its error, its conversation, its input and output. */
export function RunContents({ span, spans }: Pick<SpanPanelProps, 'span' | 'spans'>) {
  return (
    <>
      {span.status === 'error' && (
        <Section title="Error">
          <SpanError span={span} />
        </Section>
      )}
      <Conversations spans={spans} of={{ spanId: span.spanId }} />
      {contentsOf(span).contents.map(([name, title]) => (
        <Section key={name} title={title}>
          <JsonView value={readValue(span.attributes[name])} label={title} open={3} />
        </Section>
      ))}
    </>
  )
}

/** Asks the call again, with changes. */
function LabLink({ span, agentId }: { readonly span: Span; readonly agentId: string }) {
  if (agentId === '') return null
  return (
    <Link
      to={`agents/${encodeURIComponent(agentId)}/lab?trace=${span.traceId}&span=${span.spanId}`}
      className="inline-flex min-h-6 items-center text-accent hover:underline"
    >
      Open in prompt lab
    </Link>
  )
}

function RawSpan({ span }: { readonly span: Span }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="text-sm font-semibold text-dim">As JSON</summary>
      {isOpen && <JsonView value={span} label="Span as JSON" open={2} />}
    </details>
  )
}

const SHOWN = '50'

/** The log records of a span, oldest first. */
function SpanLogs({ span: { spanId, traceId } }: { readonly span: Span }) {
  const { data, error } = useEndpoint('listSpanLogs', { params: { spanId }, query: { limit: SHOWN } })
  if (data?.length === 0) return null
  return (
    <Section title="Logs">
      {error && <p className="text-error">{errorMessage(error)}</p>}
      <ol className="flex flex-col gap-0.5">
        {data?.toReversed().map(({ id, level, message, timestamp }) => (
          <li key={id} className="flex gap-2">
            <span className="w-10 shrink-0">
              <LogLevelMark level={level} />
            </span>
            <Link
              to={`logs?traceId=${traceId}&spanId=${spanId}&log=${id}`}
              title={exactTime(timestamp)}
              className="min-w-0 break-words font-mono text-sm hover:underline"
            >
              {message === '' ? '(no message)' : oneLine(message, 500)}
            </Link>
          </li>
        ))}
      </ol>
      {data?.length === Number(SHOWN) && (
        <Link to={`logs?traceId=${traceId}&spanId=${spanId}`}>All logs of this span</Link>
      )}
    </Section>
  )
}

interface AttributeGroup {
  readonly name: string
  readonly attributes: readonly (readonly [name: string, value: unknown])[]
}

/** Names of the groups, by the prefix of their attributes. */
const GROUPS = [
  ['HTTP', /^(http|url|server|client|network|user_agent)\./],
  ['GenAI', /^gen_ai\./],
  ['MCP', /^mcp\./],
  ['agentserver', /^agentserver\./],
] as const

/** Attributes with inputs and outputs, and their titles. */
const CONTENTS = [
  [ATTRIBUTE.executionInput, 'Input'],
  [ATTRIBUTE.executionOutput, 'Output'],
  [ATTRIBUTE.stepInput, 'Input'],
  [ATTRIBUTE.stepOutput, 'Output'],
  [ATTRIBUTE.toolArguments, 'Arguments'],
  [ATTRIBUTE.toolResult, 'Result'],
] as const

/** Attributes with messages, and the role of messages without one. */
const MESSAGES = [
  [ATTRIBUTE.systemInstructions, 'system'],
  [ATTRIBUTE.inputMessages, 'user'],
  [ATTRIBUTE.outputMessages, 'assistant'],
] as const

/** The attributes of a span by group, without those that are shown separately. */
function attributeGroups({ attributes }: Span, shown: ReadonlySet<string>): AttributeGroup[] {
  const groups = new Map<string, [string, unknown][]>()
  for (const [name, value] of Object.entries(attributes)) {
    if (shown.has(name)) continue
    const group = GROUPS.find(([, prefix]) => prefix.test(name))?.[0] ?? 'Other'
    const members = groups.get(group) ?? []
    groups.set(group, members)
    members.push([name, value])
  }
  return [...groups].map(([name, members]) => ({
    name,
    attributes: members.toSorted(([a], [b]) => (a < b ? -1 : 1)),
  }))
}
