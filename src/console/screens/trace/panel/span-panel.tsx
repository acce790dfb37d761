import { ATTRIBUTE } from '../../../../contract/attributes.ts'
import { useState } from 'react'
import type { Span } from '../../../../contract/endpoints/trace.ts'
import { JsonView } from '../../../json/json-view.tsx'
import { Section, SidePanel } from '../../../ui/layout/side-panel.tsx'
import { Link } from '../../../router/link.tsx'
import { StatusBadge } from '../../../ui/state/status-badge.tsx'
import { oneLine } from '../../../ui/escape-hidden.ts'
import { textOf } from '../data/span-category.ts'
import { CONTENTS, MESSAGES, attributeGroups } from './attribute-groups.ts'
import { Conversation } from '../../../trace/conversation.tsx'
import { readMessagesIn, readValue } from '../../../trace/read-messages.ts'
import { AttributeList, SpanError, SpanEvents, SpanLinks } from './span-events.tsx'
import { ModelFacts, SHOWN_ATTRIBUTES, SpanFacts } from './span-facts.tsx'
import type { SpanFactsProps } from './span-facts.tsx'
import { SpanLogs } from './span-logs.tsx'

export interface SpanPanelProps extends SpanFactsProps {
  readonly close: () => void
}

/** The details of a span. */
export function SpanPanel({ close, ...props }: SpanPanelProps) {
  const { span, parent } = props
  const { attributes } = span
  const conversations = MESSAGES.map(
    ([name, role]) => [name, readMessagesIn(attributes[name], role)] as const,
  )
  const messages = conversations.flatMap(([, found]) => found ?? [])
  const contents = CONTENTS.filter(([name]) => name in attributes)
  const shown = new Set([
    ...SHOWN_ATTRIBUTES,
    ...contents.map(([name]) => name),
    ...conversations.filter(([, found]) => found).map(([name]) => name),
  ])
  const agentId = parent ? textOf(parent, ATTRIBUTE.agentId) : ''
  const isModelCall = ATTRIBUTE.requestModel in attributes || ATTRIBUTE.inputTokens in attributes
  return (
    <SidePanel title={oneLine(span.name, 300)} close={close} aside={<StatusBadge status={span.status} />}>
      <SpanFacts {...props} />
      {span.status === 'error' && (
        <Section title="Error">
          <SpanError span={span} />
        </Section>
      )}
      {isModelCall && (
        <Section title="Model">
          <ModelFacts span={span} />
          <LabLink span={span} agentId={agentId} />
        </Section>
      )}
      {messages.length > 0 && (
        <Section title="Conversation">
          <Conversation messages={messages} />
        </Section>
      )}
      {contents.map(([name, title]) => (
        <Section key={name} title={title}>
          <JsonView value={readValue(attributes[name])} label={title} />
        </Section>
      ))}
      <SpanLogs span={span} />
      {attributeGroups(span, shown).map(({ name, attributes: members }) => (
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
