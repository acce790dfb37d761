/** A member of a filter: its name, and its value, in quotes if it has spaces. What is neither is left to the server to refuse. */
const MEMBER = /(?:^|\s)(?:([^\s="]+)=(?:"([^"]*)"(?=\s|$)|(.*?)(?=\s+[^\s="]+=|\s*$))|(\S+))/g

/**
 * The parameters of the API for a filter such as `plan=pro tenant="A = B"`: `metadata.plan` and `metadata.tenant`; `metadata`
 * for what is no member.
 */
export function metadataQuery(text: string): Readonly<Record<string, string>> {
  const members = text.matchAll(MEMBER)
  return Object.fromEntries(
    [...members].map(([, name, quoted, value = '', rest = '']) =>
      name === undefined ? ['metadata', rest] : [`metadata.${name}`, quoted ?? value],
    ),
  )
}

/** The filter for a member. */
export function metadataText(name: string, value: string | number | boolean): string {
  const text = String(value)
  return /\s/.test(text) && !text.includes('"') ? `${name}="${text}"` : `${name}=${text}`
}
