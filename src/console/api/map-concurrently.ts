const CONCURRENCY = 4

/** Maps items with limited concurrency. Returns the results in the order of the items. */
export async function mapConcurrently<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const queue = [...items.entries()]
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) results[next[0]] = await run(next[1])
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  return results
}
