import { createServer } from 'node:http'
import type { Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { RequestError, getRequestListener } from '@hono/node-server'
import { uuidV7Generator } from '../lib/ids.ts'
import { headProblem, refusalOf, refuseBytes, refuseRequest } from './early-refusal.ts'

export type Fetch = (request: Request) => Response | Promise<Response>

/** A server whose requests `fetch` answers. What can not be a request is refused here, in the same envelope. */
export function createHttpServer(fetch: Fetch): Server {
  const newId = uuidV7Generator()
  const answers = new WeakMap<Duplex, ServerResponse>()
  const listener = getRequestListener(fetch, {
    overrideGlobalObjects: true,
    errorHandler: (error) => {
      if (error instanceof RequestError) return refusalOf('The request target is not valid', newId())
      throw error
    },
  })
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    answers.set(request.socket, response)
    const problem = headProblem(request)
    if (problem === undefined) void listener(request, response)
    else refuseRequest(response, problem, newId())
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const answer = answers.get(socket)
    // in the middle of an answer there is no place for another
    const isAnswering = answer?.headersSent === true && !answer.writableFinished
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) socket.destroy()
    else refuseBytes(socket, error.code, newId())
  })
  return server
}
