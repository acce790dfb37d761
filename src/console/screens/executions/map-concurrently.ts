const AT_ONCE = 4

/** Does something with each item, a few at a time. @returns the results, in the order of the items. */
export async function mapConcurrently<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const queue = [...items.entries()]
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) results[next[0]] = await run(next[1])
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return results
}
