/** A block of Markdown. */
export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly string[] }
  | { readonly kind: 'quote'; readonly text: string }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'rule' }

const ITEM = /^\s*(?:[-*+]|(\d+)[.)])\s+(.*)$/s
/** Longer lines are not parsed as headings. */
const MAX_HEADING_LENGTH = 500

/** Parses Markdown line by line. Unknown syntax stays text; an open code block extends to the end. */
export function parseBlocks(text: string): Block[] {
  const lines = text.split(/\r?\n/)
  const blocks: Block[] = []
  let at = 0
  /** The next lines that match. */
  const take = (matches: (line: string) => boolean): string[] => {
    const from = at
    while (at < lines.length && matches(lines[at] ?? '')) at++
    return lines.slice(from, at)
  }
  while (at < lines.length) {
    const line = lines[at] ?? ''
    const fence = /^\s*(```+|~~~+)\s*([\w+-]*)/.exec(line)
    const heading = line.length <= MAX_HEADING_LENGTH && /^(#{1,6})\s+(.*?)\s*#*$/.exec(line)
    if (line.trim() === '') at++
    else if (fence) {
      at++
      const [, mark = '', language = ''] = fence
      const code = take((one) => !one.trim().startsWith(mark))
      at++
      blocks.push({ kind: 'code', language, text: code.join('\n') })
    } else if (heading) {
      at++
      blocks.push({ kind: 'heading', level: heading[1]?.length ?? 1, text: heading[2] ?? '' })
    } else if (/^\s*([-*_])(?:\s*\1){2,}\s*$/.test(line)) {
      at++
      blocks.push({ kind: 'rule' })
    } else if (ITEM.test(line)) {
      const ordered = ITEM.exec(line)?.[1] !== undefined
      blocks.push({
        kind: 'list',
        ordered,
        items: itemsOf(take((one) => ITEM.test(one) || /^\s+\S/.test(one))),
      })
    } else if (line.startsWith('>')) {
      blocks.push({
        kind: 'quote',
        text: take((one) => one.startsWith('>'))
          .map((one) => one.replace(/^>\s?/, ''))
          .join('\n'),
      })
    } else if (line.trim().startsWith('|') && /^[\s|:-]+$/.test(lines[at + 1] ?? '')) {
      const rows = take((one) => one.trim().startsWith('|')).filter((_, index) => index !== 1)
      blocks.push({ kind: 'table', rows: rows.map(cellsOf) })
    } else blocks.push({ kind: 'paragraph', text: paragraph(take) })
  }
  return blocks
}

/** Lines up to the start of another block; at least one. */
function paragraph(take: (matches: (line: string) => boolean) => string[]): string {
  let first = true
  return take((line) => {
    const continues = first || (line.trim() !== '' && !/^(#{1,6}\s|```|~~~|>)/.test(line) && !ITEM.test(line))
    first = false
    return continues
  }).join('\n')
}

function itemsOf(lines: readonly string[]): string[] {
  const items: string[] = []
  for (const line of lines) {
    const item = ITEM.exec(line)
    if (item) items.push(item[2] ?? '')
    else items.push(`${items.pop() ?? ''}\n${line.trim()}`)
  }
  return items
}

function cellsOf(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim())
}
