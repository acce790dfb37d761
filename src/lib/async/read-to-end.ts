/** The values of a generator, which runs to its end even if the reader stops early or never begins. */
export function readToEnd<T>(source: AsyncGenerator<T>, stopped: AbortSignal): AsyncGenerator<T> {
  // a generator that was never read has no clean-up of its own
  stopped.addEventListener('abort', () => void drain(source), { once: true })
  return values(source)
}

async function* values<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  // not `yield*`, which would end the source with the reader
  for (;;) {
    const next = await source.next()
    if (next.done) return
    yield next.value
  }
}

async function drain(source: AsyncGenerator): Promise<void> {
  try {
    while (!(await source.next()).done);
  } catch {
    // an error is the reader's, who has left
  }
}
