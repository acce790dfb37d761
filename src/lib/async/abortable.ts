/** Waits for `work`, or rejects with the signal's reason as soon as it aborts. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason as Error)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}

/** Gives what `source` gives, and throws the signal's reason as soon as it aborts. */
export async function* abortableItems<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const items = source[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done, value } = await abortable(items.next(), signal)
      if (done === true) return
      yield value
    }
  } finally {
    // not waited for: a source that hangs would hold up whoever was told of the abort
    Promise.resolve(items.return?.()).catch(() => undefined)
  }
}
