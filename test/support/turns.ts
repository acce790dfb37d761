/** Resolves after some turns of the event loop, when all work has run that waits for no timer or socket. */
export async function turns(count = 20): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve))
}
