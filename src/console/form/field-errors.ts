/** What is wrong, by the path of the field: `items[0].sku`. The empty path is the whole value. */
export type FieldErrors = ReadonlyMap<string, string>

const NONE: FieldErrors = new Map()

/**
 * Takes a refusal apart, such as `Input validation failed: input.orderId: Required; input.items[0].qty: …`,
 * for paths that begin with `root`; every path does with the empty one.
 */
export function fieldErrors(message: string | undefined, root: string): FieldErrors {
  if (message === undefined) return NONE
  const found = new Map<string, string>()
  const text = message.replace(/^[^.:[\]]*(?: [^.:[\]]*)+: /, '')
  for (const part of text.split(/; (?=[\w$]+[.[:])/)) {
    const [, path = '', said = ''] = /^([^\s:]+): (.*)$/s.exec(part) ?? []
    // a request's own fields have nothing before them
    if (root === '' && path !== '') found.set(path, said)
    else if (path === root) found.set('', said)
    else if (path.startsWith(`${root}.`)) found.set(path.slice(root.length + 1), said)
    else if (path.startsWith(`${root}[`)) found.set(path.slice(root.length), said)
  }
  return found
}

/** The path of a member, written as the server does. */
export function memberPath(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`
  if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `${parent}[${JSON.stringify(key)}]`
  return parent === '' ? key : `${parent}.${key}`
}
