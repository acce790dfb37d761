const WIDTH = 100
/** Lists that are longer, of objects, are shown with their first items. */
const MAX_ITEMS = 8
const SHOWN_ITEMS = 2

/** JSON with objects and lists on one line where they fit. */
export function formatJson(value: unknown, indent = '', before = 0): string {
  const line = oneLine(value)
  if (typeof value !== 'object' || value === null || indent.length + before + line.length <= WIDTH)
    return line
  const inner = `${indent}  `
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const items = Array.isArray(value)
    ? shownItems(value).map((item) => inner + (item === ELLIPSIS ? ELLIPSIS : formatJson(item, inner)))
    : Object.entries(value).map(([key, member]) => {
        const name = `${JSON.stringify(key)}: `
        return inner + name + formatJson(member, inner, name.length)
      })
  return `${open}\n${items.join(',\n')}\n${indent}${close}`
}

const ELLIPSIS = '…'

function shownItems(items: readonly unknown[]): readonly unknown[] {
  const isLong = items.length > MAX_ITEMS && typeof items[0] === 'object'
  return isLong ? [...items.slice(0, SHOWN_ITEMS), ELLIPSIS] : items
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => oneLine(item)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${oneLine(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
