/** Error messages by the path of the field, such as `items[0].sku`. The empty path is the whole value. */
export type FieldErrors = ReadonlyMap<string, string>

const NONE: FieldErrors = new Map()

/**
 * Parses a validation message, such as `Input validation failed: input.orderId: Required; input.items[0].qty: …`, into
 * the errors of paths that begin with `root`; with an empty root of all paths.
 */
export function fieldErrors(message: string | undefined, root: string): FieldErrors {
  if (message === undefined) return NONE
  const found = new Map<string, string>()
  const text = message.replace(/^[^.:[\]]*(?: [^.:[\]]*)+: /, '')
  for (const part of text.split(/; (?=[\w$]+[.[:])/)) {
    const [, path = '', error = ''] = /^([^\s:]+): (.*)$/s.exec(part) ?? []
    // the fields of a request have no prefix
    if (root === '' && path !== '') found.set(path, error)
    else if (path === root) found.set('', error)
    else if (path.startsWith(`${root}.`)) found.set(path.slice(root.length + 1), error)
    else if (path.startsWith(`${root}[`)) found.set(path.slice(root.length), error)
  }
  return found
}

/** The path of a member, in the notation of the server. */
export function memberPath(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`
  if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `${parent}[${JSON.stringify(key)}]`
  return parent === '' ? key : `${parent}.${key}`
}
