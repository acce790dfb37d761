/** The parameters of the API for a filter such as `plan=pro tenant=acme`: `metadata.plan` and `metadata.tenant`. */
export function metadataQuery(text: string): Readonly<Record<string, string>> {
  const members = text.matchAll(/(?:^|\s)([^\s=]+)=(.*?)(?=\s+[^\s=]+=|\s*$)/g)
  return Object.fromEntries([...members].map(([, name, value = '']) => [`metadata.${name}`, value]))
}
