/** Numbers the `?` of a text, which must have none in literals: Postgres calls them `$1`, `$2`… */
export function numberParameters(text: string): string {
  let count = 0
  return text.replaceAll('?', () => `$${++count}`)
}
