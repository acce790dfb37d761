import { REDACTED } from '../../../lib/redact/redact-text.ts'
import type { Redactor } from '../../../lib/redact/redactor.ts'
import { isSecret } from '../../../lib/redact/secret-name.ts'
import { ATTRIBUTE } from '../../../contract/attributes.ts'
import type { SpanData } from './span-data.ts'

/** Attributes that are not searched for secrets: ids, names and numbers. They are most of all attributes. */
const PLAIN: ReadonlySet<string> = new Set([
  ATTRIBUTE.httpMethod,
  ATTRIBUTE.httpRoute,
  ATTRIBUTE.operation,
  ATTRIBUTE.workflowName,
  ATTRIBUTE.workflowId,
  ATTRIBUTE.executionId,
  ATTRIBUTE.executionStatus,
  ATTRIBUTE.stepId,
  ATTRIBUTE.stepPath,
  ATTRIBUTE.stepType,
  ATTRIBUTE.stepStatus,
  ATTRIBUTE.agentId,
  ATTRIBUTE.agentName,
  ATTRIBUTE.toolName,
  ATTRIBUTE.toolType,
  ATTRIBUTE.toolCallId,
  ATTRIBUTE.provider,
  ATTRIBUTE.requestModel,
  ATTRIBUTE.responseModel,
  ATTRIBUTE.linkKind,
])
/** Attributes of the server: their names do not mark them as secrets, their values are searched. */
const OURS: ReadonlySet<string> = new Set(Object.values(ATTRIBUTE))

/** Redacts the secrets of a span, in place. */
export function redactSpan(span: SpanData, redactor: Redactor): void {
  if (span.namedByOthers) span.name = redactor.text(span.name)
  redactAttributes(span.attributes, redactor)
  if (span.statusMessage !== undefined) span.statusMessage = redactor.text(span.statusMessage)
  for (const { attributes } of span.events) redactAttributes(attributes, redactor)
  for (const { attributes } of span.links) redactAttributes(attributes, redactor)
}

function redactAttributes(attributes: Record<string, unknown>, redactor: Redactor): void {
  for (const name in attributes) {
    const value = attributes[name]
    if (typeof value === 'number' || typeof value === 'boolean' || PLAIN.has(name)) continue
    attributes[name] = redactAttribute(name, value, redactor)
  }
}

function redactAttribute(name: string, value: unknown, { text }: Redactor): unknown {
  if (!OURS.has(name) && isSecret(name, value)) return REDACTED
  if (typeof value === 'string') return text(value)
  if (!Array.isArray(value)) return value
  return value.map((entry: unknown) => (typeof entry === 'string' ? text(entry) : entry))
}
