import type { Span } from '../../../contract/endpoints/trace.ts'
import { SPAN_CATEGORIES, categoryOf } from './span-category.ts'
import type { SpanCategory } from './span-category.ts'
import type { TreeSpan } from './span-tree.ts'

export interface SpanFilter {
  /** Words that a span must contain, case-insensitive. */
  readonly q: string
  readonly category: string
  readonly onlyErrors: boolean
}

export interface FoundSpans {
  /** Matching spans and their ancestors. */
  readonly shown: readonly TreeSpan[]
  readonly matching: ReadonlySet<string>
}

/** Characters of an attribute that are searched. */
const MAX_SEARCHED = 4000

/** The searched text of each span, made at the first search. */
export type SearchTexts = WeakMap<Span, string>

/** Filters a tree: matching spans with their ancestors, so that each is shown in its context. Undefined without a filter. */
export function findSpans(
  placed: readonly TreeSpan[],
  { q, category, onlyErrors }: SpanFilter,
  texts: SearchTexts,
): FoundSpans | undefined {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  const selected = category in SPAN_CATEGORIES ? (category as SpanCategory) : undefined
  if (words.length === 0 && selected === undefined && !onlyErrors) return undefined
  const matches = (span: Span) => {
    if (onlyErrors && span.status !== 'error') return false
    if (selected !== undefined && categoryOf(span) !== selected) return false
    if (words.length === 0) return true
    const text = textIn(span, texts)
    // ids match as a whole: parts of an id occur in many ids
    return words.every((word) => text.includes(word) || word === span.spanId)
  }
  const matching = new Set<string>()
  const shown: TreeSpan[] = []
  // backwards, so that a parent comes after its children
  let above = -1
  for (const one of placed.toReversed()) {
    const isFound = matches(one.span)
    if (isFound) matching.add(one.span.spanId)
    else if (one.depth !== above) continue
    above = one.depth - 1
    shown.push(one)
  }
  return { shown: shown.toReversed(), matching }
}

function textIn(span: Span, texts: SearchTexts): string {
  const known = texts.get(span)
  if (known !== undefined) return known
  const { name, statusMessage = '', attributes } = span
  const parts = [name, statusMessage]
  for (const [key, value] of Object.entries(attributes))
    parts.push(key, (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_SEARCHED))
  const text = parts.join('\n').toLowerCase()
  texts.set(span, text)
  return text
}
