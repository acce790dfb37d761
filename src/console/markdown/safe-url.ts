/** The address of a link if it is `http`, `https` or `mailto`; others are not links. */
export function safeUrl(url: string): string {
  return /^(?:https?:\/\/|mailto:)/i.test(url) ? url : ''
}
