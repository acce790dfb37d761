/** One difference of two JSON values. */
export interface Difference {
  /** `items[0].sku`; empty for the whole value. */
  readonly path: string
  readonly kind: 'added' | 'removed' | 'changed'
  readonly before?: unknown
  readonly after?: unknown
}

/** Maximum number of differences listed. */
const MAX_DIFFERENCES = 1000

/** The differences of two JSON values, in order. Arrays are compared by index. */
export function jsonDiff(before: unknown, after: unknown): readonly Difference[] {
  const found: Difference[] = []
  compare(before, after, '', found)
  return found
}

function compare(before: unknown, after: unknown, path: string, found: Difference[]): void {
  if (before === after || found.length >= MAX_DIFFERENCES) return
  if (before === undefined) found.push({ path, kind: 'added', after })
  else if (after === undefined) found.push({ path, kind: 'removed', before })
  else if (!isBranch(before) || !isBranch(after) || Array.isArray(before) !== Array.isArray(after))
    found.push({ path, kind: 'changed', before, after })
  else
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      compare(own(before, key), own(after, key), member(path, key, Array.isArray(before)), found)
}

function isBranch(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function own(value: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined
}

function member(path: string, key: string, inArray: boolean): string {
  if (inArray) return `${path}[${key}]`
  if (!/^[\w$-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}

/** Characters of what is the same that are kept on each side. */
const CONTEXT = 60

/** Two values that differ; of long texts, the parts around what has changed. */
export function aroundChange(before: unknown, after: unknown): readonly [before: unknown, after: unknown] {
  if (typeof before !== 'string' || typeof after !== 'string') return [before, after]
  const least = Math.min(before.length, after.length)
  let start = 0
  while (start < least && before[start] === after[start]) start++
  let end = 0
  while (end < least - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const from = start > CONTEXT ? start - CONTEXT : 0
  const cut = end > CONTEXT ? end - CONTEXT : 0
  const part = (text: string) =>
    `${from > 0 ? '…' : ''}${text.slice(from, text.length - cut)}${cut > 0 ? '…' : ''}`
  return [part(before), part(after)]
}
