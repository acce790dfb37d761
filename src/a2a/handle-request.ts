import type { Logger } from 'pino'
import { AppError } from '../lib/errors.ts'
import { shorten } from '../lib/json/json-path.ts'
import type { CardPlace } from './agent-card.ts'
import { checkParams, requestProblem, type Rpc } from './check-request.ts'
import { protocolHandler } from './protocol-handler.ts'
import { type ProtocolVersion, protocolVersion } from './protocol-version.ts'
import type { TaskMeans } from './task-handler.ts'
import { type Sdk, loadSdk } from './sdk.ts'
import { RPC_CODE, type RpcError, RpcErrors } from './rpc-errors.ts'

export interface A2aExchange extends Omit<TaskMeans, 'sdk'> {
  /** A JSON value; or the error that says why the body is none. */
  readonly body: unknown
  /** What the client says of the version it speaks. */
  readonly version: string | null | undefined
  readonly place: CardPlace
  readonly logger: Logger
}

/** A JSON-RPC response, or a stream of them. */
export type A2aAnswer =
  | { readonly kind: 'message'; readonly status: 200 | 400; readonly message: object }
  | { readonly kind: 'stream'; readonly messages: AsyncGenerator<object> }

/** Answers a JSON-RPC request of A2A. What is wrong with it is told as JSON-RPC has it. */
export async function answerA2a(exchange: A2aExchange): Promise<A2aAnswer> {
  const { body } = exchange
  if (body instanceof AppError) return unreadable({ code: RPC_CODE.parse, message: body.message })
  if (Array.isArray(body))
    return unreadable({ code: RPC_CODE.request, message: 'A2A takes one request at a time, not a batch' })
  if (!isRecord(body))
    return unreadable({ code: RPC_CODE.request, message: 'The request must be a JSON object' })
  return answerRequest(body, exchange, await loadSdk())
}

async function answerRequest(request: Rpc, exchange: A2aExchange, sdk: Sdk): Promise<A2aAnswer> {
  const { method } = request
  const version = protocolVersion(exchange.version, method)
  const errors = new RpcErrors(sdk, { request, version })
  const problem = requestProblem(request)
  if (problem !== undefined) return message(errors.response({ code: RPC_CODE.request, message: problem }))
  if (version === undefined) {
    const told = `A2A ${exchange.version} is not spoken here: send the header A2A-Version: 1.0 or 0.3`
    return message(errors.responseTo(new sdk.errors.VersionNotSupportedError(told)))
  }
  if (!isMethod(method, version, sdk))
    return message(errors.response({ code: RPC_CODE.method, message: notFound(method, version) }))
  try {
    await checkParams(request, version)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return message(errors.responseTo(new sdk.errors.RequestMalformedError(error.message)))
  }
  const handler = protocolHandler({ ...exchange, sdk }, exchange)
  const transport =
    version === '1.0'
      ? new sdk.server.JsonRpcTransportHandler(handler)
      : new sdk.legacy.LegacyJsonRpcTransportHandler(handler)
  const context = new sdk.server.ServerCallContext({ requestedVersion: version })
  const result = await transport.handle({ ...request }, context)
  return isStream(result) ? streamed(result, errors) : message(result)
}

/** The SDK's own test takes the members of every object for methods, such as `constructor`. */
function isMethod(method: unknown, version: ProtocolVersion, { compat }: Sdk): boolean {
  if (typeof method !== 'string') return false
  return version === '1.0'
    ? /^[A-Z]/.test(method) && compat.isV1JsonRpcMethod(method)
    : method.includes('/') && compat.isLegacyJsonRpcMethod(method)
}

function notFound(method: unknown, version: ProtocolVersion): string {
  return `A2A ${version} has no method ${shorten(String(method), 100)}; the header A2A-Version says which version is meant`
}

/** A stream that fails before its first message was none. */
async function streamed(stream: AsyncGenerator<object>, errors: RpcErrors): Promise<A2aAnswer> {
  try {
    const first = await stream.next()
    return { kind: 'stream', messages: rest(first, stream, errors) }
  } catch (error) {
    return message(errors.responseTo(error))
  }
}

async function* rest(
  first: IteratorResult<object>,
  stream: AsyncGenerator<object>,
  errors: RpcErrors,
): AsyncGenerator<object> {
  try {
    if (first.done !== true) yield first.value
    yield* stream
  } catch (error) {
    yield errors.responseTo(error)
  } finally {
    await stream.return(undefined)
  }
}

function message(response: object): A2aAnswer {
  return { kind: 'message', status: 200, message: response }
}

/** A body that is no request at all, so that no id is known. */
function unreadable(error: RpcError): A2aAnswer {
  return { kind: 'message', status: 400, message: { jsonrpc: '2.0', id: null, error } }
}

function isRecord(value: unknown): value is Rpc {
  return typeof value === 'object' && value !== null
}

function isStream(value: object): value is AsyncGenerator<object> {
  return Symbol.asyncIterator in value
}
