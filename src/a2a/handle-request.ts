import type { Logger } from 'pino'
import { AppError } from '../lib/errors.ts'
import { shorten } from '../lib/json/json-value.ts'
import type { AgentEndpoint } from './agent-card.ts'
import { requestProblem, validateParams } from './check-request.ts'
import type { RpcRequest } from './check-request.ts'
import { protocolHandler } from './protocol-handler.ts'
import { protocolVersion } from './protocol-version.ts'
import type { ProtocolVersion } from './protocol-version.ts'
import { loadSdk } from './sdk.ts'
import type { Sdk } from './sdk.ts'
import type { TaskDeps } from './task-handler.ts'

export interface A2aExchange extends Omit<TaskDeps, 'sdk'> {
  /** The JSON body, or the error that describes why it is not JSON. */
  readonly body: unknown
  /** The protocol version that the client requested. */
  readonly version: string | null | undefined
  readonly endpoint: AgentEndpoint
  readonly logger: Logger
}

/** A JSON-RPC response, or a stream of them. */
export type A2aResponse =
  | { readonly kind: 'message'; readonly status: 200 | 400; readonly message: object }
  | { readonly kind: 'stream'; readonly messages: AsyncGenerator<object> }

/** Handles a JSON-RPC request of A2A. Errors are returned as JSON-RPC errors. */
export async function handleA2aRequest(exchange: A2aExchange): Promise<A2aResponse> {
  const { body } = exchange
  if (body instanceof AppError) return badRequest({ code: RPC_CODE.parse, message: body.message })
  if (Array.isArray(body))
    return badRequest({
      code: RPC_CODE.request,
      message: 'Batch requests are not supported: send one request at a time',
    })
  if (!isRecord(body))
    return badRequest({ code: RPC_CODE.request, message: 'The request must be a JSON object' })
  return handleRpc(body, exchange, await loadSdk())
}

async function handleRpc(request: RpcRequest, exchange: A2aExchange, sdk: Sdk): Promise<A2aResponse> {
  const { method } = request
  const version = protocolVersion(exchange.version, method)
  const errors = new RpcErrors(sdk, { request, version })
  const problem = requestProblem(request)
  if (problem !== undefined) return message(errors.response({ code: RPC_CODE.request, message: problem }))
  if (version === undefined) {
    const reason = `A2A ${exchange.version} is not supported: send the header A2A-Version: 1.0 or 0.3`
    return message(errors.responseTo(new sdk.errors.VersionNotSupportedError(reason)))
  }
  if (!isMethod(method, version, sdk))
    return message(errors.response({ code: RPC_CODE.method, message: notFound(method, version) }))
  try {
    await validateParams(request, version)
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
  return isStream(result) ? toStream(result, errors) : message(result)
}

/** The SDK's own check accepts inherited members of objects as methods, such as `constructor`. */
function isMethod(method: unknown, version: ProtocolVersion, { compat }: Sdk): boolean {
  if (typeof method !== 'string') return false
  return version === '1.0'
    ? /^[A-Z]/.test(method) && compat.isV1JsonRpcMethod(method)
    : method.includes('/') && compat.isLegacyJsonRpcMethod(method)
}

function notFound(method: unknown, version: ProtocolVersion): string {
  return `A2A ${version} has no method ${shorten(String(method), 100)}. Set the header A2A-Version to use another version`
}

/** A stream that fails before its first message becomes a plain error response. */
async function toStream(stream: AsyncGenerator<object>, errors: RpcErrors): Promise<A2aResponse> {
  try {
    const first = await stream.next()
    return { kind: 'stream', messages: remainingMessages(first, stream, errors) }
  } catch (error) {
    return message(errors.responseTo(error))
  }
}

async function* remainingMessages(
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

function message(response: object): A2aResponse {
  return { kind: 'message', status: 200, message: response }
}

/** The response to a body that is not a request, so that its id is unknown. */
function badRequest(error: RpcError): A2aResponse {
  return { kind: 'message', status: 400, message: { jsonrpc: '2.0', id: null, error } }
}

function isRecord(value: unknown): value is RpcRequest {
  return typeof value === 'object' && value !== null
}

function isStream(value: object): value is AsyncGenerator<object> {
  return Symbol.asyncIterator in value
}

interface RpcError {
  readonly code: number
  readonly message: string
}

/** Codes of JSON-RPC 2.0, section 5.1. */
const RPC_CODE = { parse: -32700, request: -32600, method: -32601 } as const

/** Creates the error responses to a request, in the format of its protocol version. */
class RpcErrors {
  readonly #sdk: Sdk
  readonly #id: string | number | null
  readonly #version: ProtocolVersion | undefined

  constructor(sdk: Sdk, { request, version }: { request: RpcRequest; version: ProtocolVersion | undefined }) {
    const { id } = request
    this.#sdk = sdk
    this.#id = typeof id === 'string' || Number.isInteger(id) ? (id as string | number) : null
    this.#version = version
  }

  response(error: RpcError): object {
    return { jsonrpc: '2.0', id: this.#id, error }
  }

  /** The response for an SDK error or an error with a public message. */
  responseTo(error: unknown): object {
    const { server, legacy } = this.#sdk
    return this.response(
      this.#version === '0.3'
        ? legacy.LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(error)
        : server.JsonRpcTransportHandler.mapToJSONRPCError(error),
    )
  }
}
