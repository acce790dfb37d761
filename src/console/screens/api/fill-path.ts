import type { Operation } from './api-description.ts'

/** The path of a request: the operation's template with the values of its parameters. */
export function fillPath(
  { path, key }: Pick<Operation, 'path' | 'key'>,
  valueOf: (name: string) => string,
): string {
  // a wildcard may have several segments
  const wildcard = key === undefined ? /^rest\d*$/ : /^path$/
  return path.replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
    wildcard.test(name) ? encodeURI(valueOf(name)) : encodeURIComponent(valueOf(name)),
  )
}
