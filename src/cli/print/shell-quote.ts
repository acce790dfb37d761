/** A text as one word of this platform's shell, quoted if needed. */
export function shellQuote(text: string): string {
  if (process.platform === 'win32')
    return /^[\w@+=:,./\\~-]+$/.test(text) ? text : `"${text.replaceAll('"', String.raw`\"`)}"`
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
