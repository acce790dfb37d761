import type { Services } from '../services.ts'
import { untilOver } from './until-over.ts'

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
    if (!response.body) {
      end()
      return response
    }
    const body = untilOver(response.body, (left) => {
      if (left) stopping.abort()
      end()
    })
    return new Response(body, response)
  } catch (error) {
    end()
    throw error
  }
}
