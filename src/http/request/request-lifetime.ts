import { AppError } from '../../lib/errors.ts'
import type { Services } from '../services.ts'

/**
 * Runs work whose caller waits for the result. The signal aborts when the client disconnects or the server
 * stops. The current generation of the user's code is held until the work settles.
 *
 * @throws AppError `unavailable` when the work failed because the server stops; otherwise its own error.
 */
export async function runForClient<T>(
  services: Services,
  disconnected: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stopping = new AbortController()
  const release = services.current().hold()
  services.openStreams.add(stopping)
  try {
    return await run(AbortSignal.any([disconnected, stopping.signal]))
  } catch (cause) {
    if (!stopping.signal.aborted) throw cause
    throw new AppError('unavailable', 'The server is shutting down', { cause })
  } finally {
    services.openStreams.delete(stopping)
    release()
  }
}

/**
 * Produces a response whose body may still be written while the client reads it. The signal aborts when the
 * client disconnects or the server stops. `release` is called when the response has ended; by default it
 * releases the current generation of the user's code.
 */
export async function streamResponse(
  services: Services,
  respond: (stopping: AbortSignal) => Promise<Response>,
  release = services.current().hold(),
): Promise<Response> {
  const stopping = new AbortController()
  services.openStreams.add(stopping)
  const end = () => {
    services.openStreams.delete(stopping)
    release()
  }
  try {
    const response = await respond(stopping.signal)
    if (!response.body) {
      end()
      return response
    }
    const body = onBodyEnd(response.body, (cancelled) => {
      if (cancelled) stopping.abort()
      end()
    })
    return new Response(body, response)
  } catch (error) {
    end()
    throw error
  }
}

/**
 * Wraps a body: `onEnd` is called once, when it was read to its end, failed, or was `cancelled`. `onStart` is called
 * before the first read, with a function that cancels the source and ends the body.
 */
export function onBodyEnd(
  body: ReadableStream<Uint8Array>,
  onEnd: (cancelled: boolean) => void,
  onStart: (end: () => void) => void = () => undefined,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let started = false
  let ended = false
  const end = (cancelled: boolean) => {
    if (ended) return
    ended = true
    onEnd(cancelled)
  }
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    started = true
    onStart(() => {
      if (ended) return
      end(true)
      controller.close()
      // the source may fail to stop; its reader is gone
      reader.cancel().catch(() => undefined)
    })
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (!started) start(controller)
        if (ended) return
        try {
          const { done, value } = await reader.read()
          if (ended) return
          if (!done) return controller.enqueue(value)
          controller.close()
        } catch (error) {
          end(false)
          throw error
        }
        end(false)
      },
      async cancel(reason) {
        end(true)
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
