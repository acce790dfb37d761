/** Text in a mark by which a model can tell where it is from: `<name>` around it, with a line that says what it is. */
export function markedText(name: string, about: string, text: string): string {
  return `<${name}>\n${about}\n\n${text}\n</${name}>`
}

/** Text of others, which can't begin or end these marks. */
export function withoutMarks(text: string, names: readonly string[]): string {
  return text.replaceAll(new RegExp(`<(?=/?(?:${names.join('|')})>)`, 'gi'), '&lt;')
}
