/** What a key of the tree selects, other than a step by its path: ids of steps begin with no colon. */
export type ItemKey =
  | { readonly kind: 'step'; readonly path: string }
  | { readonly kind: 'attempt'; readonly path: string; readonly index: number }
  | { readonly kind: 'span'; readonly id: string }
  | { readonly kind: 'log'; readonly id: string }
  /** Log records that the tree leaves out. */
  | { readonly kind: 'earlier' }

export function spanKey(spanId: string): string {
  return `:span/${spanId}`
}

export function logKey(id: string): string {
  return `:log/${id}`
}

/** `id`: of the first record that is left out. */
export function earlierKey(id: string): string {
  return `:earlier/${id}`
}

/** The key of an attempt of a step. `index`: from 0. */
export function attemptKey(path: string, index: number): string {
  return `:attempt/${index}/${path}`
}

/** What the key selects. */
export function readItemKey(key: string): ItemKey {
  const [kind, id = '', ...rest] = key.split('/')
  if (kind === ':span') return { kind: 'span', id }
  if (kind === ':log') return { kind: 'log', id }
  if (kind === ':earlier') return { kind: 'earlier' }
  if (kind === ':attempt') return { kind: 'attempt', path: rest.join('/'), index: Number(id) }
  return { kind: 'step', path: key }
}
