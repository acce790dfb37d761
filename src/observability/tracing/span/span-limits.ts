import type { Attributes, AttributeValue } from '@opentelemetry/api'
import { isAttributeValue } from '@opentelemetry/core'

/** Maximum length of a text attribute; longer ones are truncated. */
export const MAX_ATTRIBUTE_CHARACTERS = 32_768
/** Maximum number of attributes of a span, an event or a link. */
export const MAX_ATTRIBUTES = 128
/** Maximum number of events, and of links, of a span; the oldest are dropped. */
export const MAX_DETAILS = 128

/** The attribute value, with long text truncated; `undefined` if OpenTelemetry does not allow the value. */
export function attributeValue(value: unknown): AttributeValue | undefined {
  if (typeof value === 'string')
    return value.length > MAX_ATTRIBUTE_CHARACTERS ? value.slice(0, MAX_ATTRIBUTE_CHARACTERS) : value
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (!Array.isArray(value) || !isAttributeValue(value)) return undefined
  return value.map((entry: unknown) =>
    typeof entry === 'string' ? entry.slice(0, MAX_ATTRIBUTE_CHARACTERS) : entry,
  ) as AttributeValue
}

/** The attributes of an event or a link, and the number that exceeded the limit. */
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
