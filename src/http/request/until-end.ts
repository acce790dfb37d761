import { AppError } from '../../lib/errors.ts'
import type { Services } from '../services.ts'

/**
 * Runs what a caller waits for. The signal aborts when the caller leaves or the server stops; the user's code
 * is not disposed meanwhile.
 *
 * @throws AppError `unavailable` when it failed because the server stops, else what `run` throws.
 */
export async function untilEnd<T>(
  services: Services,
  left: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stopping = new AbortController()
  const release = services.served().hold()
  services.openStreams.add(stopping)
  try {
    return await run(AbortSignal.any([left, stopping.signal]))
  } catch (cause) {
    if (!stopping.signal.aborted) throw cause
    throw new AppError('unavailable', 'The server is shutting down', { cause })
  } finally {
    services.openStreams.delete(stopping)
    release()
  }
}
