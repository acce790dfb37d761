import type { Interval } from './time-scale.ts'
import type { WaterfallRow } from './waterfall-row.ts'

/** Name and colour of each kind of row, in the order of the legend. */
export const ITEM_KINDS = {
  request: ['request', 'bg-kind-group'],
  workflow: ['workflow', 'bg-kind-workflow'],
  step: ['step', 'bg-kind-code'],
  group: ['group', 'bg-kind-group'],
  wait: ['wait', 'bg-suspended'],
  agent: ['agent', 'bg-kind-agent'],
  model: ['model call', 'bg-kind-model'],
  tool: ['tool', 'bg-kind-tool'],
  tap: ['tap', 'bg-kind-tap'],
  mcp: ['MCP', 'bg-kind-tap'],
  other: ['other', 'bg-kind-own'],
  log: ['log', 'bg-line-strong'],
} as const satisfies Readonly<Record<string, readonly [name: string, tone: string]>>

export type ItemKind = keyof typeof ITEM_KINDS

/** One row of the tree of a run: a step, a call, a log record. */
export interface TreeItem extends WaterfallRow {
  readonly kind: ItemKind
  readonly isFailed: boolean
  /** When work was done in it, without that of its children. */
  readonly busy: readonly Interval[]
  /** The searched text, in lower case. */
  readonly text: () => string
}

/** The searched text of each record, made at the first search. */
export type SearchTexts = WeakMap<object, string>

/** The searched text of a record. `make`: its parts. */
export function searchText(texts: SearchTexts, of: object, make: () => readonly string[]): string {
  const known = texts.get(of)
  if (known !== undefined) return known
  const text = make().join('\n').toLowerCase()
  texts.set(of, text)
  return text
}

/** Characters of a value that are searched. */
const MAX_SEARCHED = 4000

/** A value as a part of a searched text. */
export function searchedValue(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.slice(0, MAX_SEARCHED)
}
