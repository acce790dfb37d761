/** A Markdown table. Pipes in cells are escaped; line breaks become spaces. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => inCell(cell)).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map((row) => line(row))].join('\n')
}

function inCell(text: string): string {
  return withoutTags(text)
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/(?<!\\)\|/g, String.raw`\|`)
}

/** Outside of code, `<name>` would be read as HTML. */
function withoutTags(text: string): string {
  return text.replaceAll(/`[^`]*`|</g, (part) => (part === '<' ? '&lt;' : part))
}

/** Text as inline code. */
export function code(text: string | number): string {
  return `\`${text}\``
}

/** The text with its first letter in upper case, where that is a word. */
export function sentence(text: string): string {
  return text.replace(/^null\b/, '`null`').replace(/^[a-z]/, (letter) => letter.toUpperCase())
}
