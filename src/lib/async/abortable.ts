/** Waits for `work`; rejects with the signal's reason when the signal aborts first. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/** Yields the items of `source`; throws the signal's reason when the signal aborts. */
export async function* abortableItems<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const items = source[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done, value } = await abortable(items.next(), signal)
      if (done === true) return
      yield value
    }
  } finally {
    // not awaited: a source that hangs would delay the abort
    Promise.resolve(items.return?.()).catch(() => undefined)
  }
}
