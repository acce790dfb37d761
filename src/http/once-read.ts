import type { Services } from './services.ts'

/**
 * An answer that may still be made while it is read. The signal aborts when its reader leaves or the server
 * stops. When the answer has ended `release` is called; until then it holds the user's code, if left out.
 */
export async function onceRead(
  services: Services,
  answer: (stopping: AbortSignal) => Promise<Response>,
  release = services.served().hold(),
): Promise<Response> {
  const stopping = new AbortController()
  services.openStreams.add(stopping)
  const end = () => {
    services.openStreams.delete(stopping)
    release()
  }
  try {
    const response = await answer(stopping.signal)
    if (response.body) return new Response(watched(response.body, { end, stopping }), response)
    end()
    return response
  } catch (error) {
    end()
    throw error
  }
}

interface Watch {
  readonly end: () => void
  readonly stopping: AbortController
}

function watched(body: ReadableStream<Uint8Array>, { end, stopping }: Watch): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          controller.close()
        } catch (error) {
          controller.error(error)
        }
        end()
      },
      cancel: async (reason) => {
        stopping.abort()
        end()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
