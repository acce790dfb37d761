/** Read by the language itself: of results that a function returns, awaits or prints. */
const NO_STEPS: ReadonlySet<string | symbol> = new Set(['then', 'toJSON'])

/**
 * The results of steps by their ids, each read when it is used.
 *
 * @param resultOf throws for an unknown id
 */
export function resultsById(
  ids: Iterable<string>,
  resultOf: (id: string) => unknown,
): Readonly<Record<string, unknown>> {
  const known: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const id of ids) Object.defineProperty(known, id, { enumerable: true, get: () => resultOf(id) })
  return new Proxy(Object.freeze(known), {
    get: (results, id, receiver) =>
      typeof id === 'symbol' || id in results || NO_STEPS.has(id)
        ? Reflect.get(results, id, receiver)
        : resultOf(id),
  })
}
