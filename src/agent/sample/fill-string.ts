import type { JsonSchema } from '../../lib/schema/json-schema.ts'
import { MAX_SAMPLE_LENGTH, samplePattern, toRegExp } from './sample-pattern.ts'
import type { TextFacts } from '../models/demo/text-facts.ts'

interface StringField {
  readonly schema: JsonSchema
  /** The name of the field in its object. */
  readonly name: string
  readonly facts: TextFacts
}

const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  email: ['demo@example.com'],
  'idn-email': ['demo@example.com'],
  uri: ['https://example.com/'],
  url: ['https://example.com/'],
  iri: ['https://example.com/'],
  'uri-reference': ['https://example.com/'],
  hostname: ['example.com'],
  'date-time': ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00'],
  date: ['2026-01-01'],
  time: ['00:00:00Z', '00:00:00'],
  duration: ['P1D'],
  uuid: ['00000000-0000-4000-8000-000000000000', '00000000-0000-7000-8000-000000000000'],
  ipv4: ['127.0.0.1'],
  ipv6: ['::1'],
  regex: ['.*'],
  'json-pointer': ['/demo'],
}

const PLACE =
  /\b(?:city|place|location|town|country|region|name|person|customer|topic|subject|product|title)\b/i
const CODE = /\b(?:id|code|number|no|ref|reference|sku|key|ticket|order)\b/i
const PROSE =
  /\b(?:query|input|text|message|prompt|question|expression|content|body|summary|description|reason)\b/i

/** The part of the text that is likely meant for the field. */
export function findString(field: StringField): string | undefined {
  const { schema, name, facts } = field
  const { format } = schema
  const fits = checkOf(schema)
  if (format === 'email') return facts.emails.take(fits)
  if (format === 'uri' || format === 'url') return facts.urls.take(fits)
  if (format === 'date') return facts.words.find((word) => isDate(word) && fits(word))
  if (typeof format === 'string' && format in SAMPLES) return undefined
  if (typeof schema['pattern'] === 'string') {
    return facts.quoted.take(fits) ?? facts.codes.take(fits) ?? facts.words.find(fits)
  }
  const about = `${spaced(name)} ${typeof schema['description'] === 'string' ? schema['description'] : ''}`
  return (
    (/\be-?mail\b/i.test(about) ? facts.emails.take(fits) : undefined) ??
    (/\b(?:url|link|website)\b/i.test(about) ? facts.urls.take(fits) : undefined) ??
    facts.quoted.take(fits) ??
    (CODE.test(about) ? facts.codes.take(fits) : undefined) ??
    (PLACE.test(about) ? facts.names.take(fits) : undefined)
  )
}

/** A string for the schema: its default, otherwise a part of the text, otherwise "demo <name>". */
export function makeString(field: StringField): string {
  const { schema, name, facts } = field
  const { default: preset, format, pattern } = schema
  const fits = checkOf(schema)
  if (typeof preset === 'string') return preset
  const samples = typeof format === 'string' ? SAMPLES[format] : undefined
  if (samples !== undefined) return samples.find(fits) ?? samples[0] ?? ''
  if (typeof pattern === 'string') {
    const sample = samplePattern(pattern, numberOr(schema['minLength'], 0))
    if (sample !== undefined) return sample
  }
  const prose = PROSE.test(spaced(name)) ? facts.text.trim() : ''
  if (prose !== '') return fitLength(schema, prose)
  const mentioned = facts.names.take(fits) ?? facts.quoted.repeat(fits) ?? facts.names.repeat(fits)
  return mentioned ?? fitLength(schema, `demo ${spaced(name).toLowerCase() || 'text'}`)
}

function checkOf(schema: JsonSchema): (value: string) => boolean {
  const { pattern, minLength, maxLength } = schema
  const expression = typeof pattern === 'string' ? toRegExp(pattern) : undefined
  return (value) => {
    // JSON Schema counts code points, some libraries UTF-16 units; the value must satisfy both
    if (value.length > Math.min(numberOr(maxLength, MAX_SAMPLE_LENGTH), MAX_SAMPLE_LENGTH)) return false
    if (Array.from(value).length < numberOr(minLength, 0)) return false
    return expression === undefined || expression.test(value)
  }
}

function fitLength(schema: JsonSchema, value: string): string {
  const { minLength, maxLength } = schema
  if (checkOf({ minLength, maxLength })(value)) return value
  const plain = value.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, '')
  const longest = Math.min(numberOr(maxLength, plain.length), MAX_SAMPLE_LENGTH)
  const shortest = Math.min(numberOr(minLength, 0), MAX_SAMPLE_LENGTH)
  return plain.slice(0, longest).padEnd(shortest, '.')
}

function isDate(word: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(word)) return false
  const date = new Date(word)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(word)
}

/** `orderId` and `order_id` as `order Id` and `order id`. */
function spaced(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_\-.]+/g, ' ')
    .trim()
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}
