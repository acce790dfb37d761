import type { Attributes, AttributeValue } from '@opentelemetry/api'
import { otelCore } from '../otel-sdk.ts'

/** The longest that a text among a span's attributes may be; longer ones are cut. */
export const MAX_ATTRIBUTE_CHARACTERS = 32_768
/** Attributes of a span, of an event and of a link. */
export const MAX_ATTRIBUTES = 128
/** Events, and links, of a span: older ones make room. */
export const MAX_DETAILS = 128

/** The value as a span keeps it; `undefined` where OpenTelemetry has no such value. */
export function attributeValue(value: unknown): AttributeValue | undefined {
  if (typeof value === 'string')
    return value.length > MAX_ATTRIBUTE_CHARACTERS ? value.slice(0, MAX_ATTRIBUTE_CHARACTERS) : value
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (!Array.isArray(value) || !otelCore().isAttributeValue(value)) return undefined
  return value.map((entry: unknown) =>
    typeof entry === 'string' ? entry.slice(0, MAX_ATTRIBUTE_CHARACTERS) : entry,
  ) as AttributeValue
}

/** The attributes of an event or a link as a span keeps them, and how many there were beyond. */
export function detailAttributes(given: Attributes | undefined): { attributes: Attributes; dropped: number } {
  const attributes: Attributes = {}
  let count = 0
  let dropped = 0
  for (const [name, one] of Object.entries(given ?? {})) {
    const value = name === '' ? undefined : attributeValue(one)
    if (value === undefined) continue
    if (count++ < MAX_ATTRIBUTES) attributes[name] = value
    else dropped++
  }
  return { attributes, dropped }
}
