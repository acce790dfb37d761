/** A part of a text: plain, or with inline markup. */
export type InlineToken =
  | { readonly kind: 'text' | 'code' | 'strong' | 'emphasis'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string }

/** Every quantifier is bounded, so that no input blocks the page. */
const TOKENS =
  /(?<!`)(`{1,3})(?!`)([\s\S]{1,1000}?)(?<!`)\1(?!`)|\*\*(?=\S)([\s\S]{1,1000}?)\*\*|(?<![\w*])[*_]([^*_\n]{1,500})[*_](?![\w*])|!?\[([^\]]{0,500})\]\(([^)\s]{1,2000})[^)]{0,300}\)|(https?:\/\/[^\s<>)"']+)/g

/** Longer paragraphs are not parsed. */
const MAX_LENGTH = 20_000

/** Parses code, strong, emphasis and links. Images become links; links with other schemes than http(s) stay text. */
export function parseInline(text: string): InlineToken[] {
  if (text.length > MAX_LENGTH) return [{ kind: 'text', text }]
  const tokens: InlineToken[] = []
  let end = 0
  for (const match of text.matchAll(TOKENS)) {
    if (match.index > end) tokens.push({ kind: 'text', text: text.slice(end, match.index) })
    tokens.push(tokenOf(match))
    end = match.index + match[0].length
  }
  if (end < text.length) tokens.push({ kind: 'text', text: text.slice(end) })
  return tokens
}

function tokenOf([all, , code, strong, emphasis, label, target, address]: RegExpExecArray): InlineToken {
  if (code !== undefined) return { kind: 'code', text: code }
  if (strong !== undefined) return { kind: 'strong', text: strong }
  if (emphasis !== undefined) return { kind: 'emphasis', text: emphasis }
  const href = target ?? address ?? ''
  // http(s) only: no javascript:, no data:
  if (!/^https?:\/\//i.test(href)) return { kind: 'text', text: all }
  return { kind: 'link', text: label === undefined || label === '' ? href : label, href }
}
