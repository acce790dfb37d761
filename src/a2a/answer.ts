import type { Logger } from 'pino'
import { AppError } from '../lib/errors.ts'
import type { CardPlace } from './agent-card.ts'
import { protocolHandler } from './protocol-handler.ts'
import { type ProtocolVersion, protocolVersion } from './protocol-version.ts'
import type { TaskMeans } from './request-handler.ts'
import { type Sdk, loadSdk } from './sdk.ts'
import { checkParams } from './send-params.ts'

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
  if (body instanceof AppError) return refused({ code: PARSE_ERROR, message: body.message })
  if (Array.isArray(body))
    return refused({ code: INVALID_REQUEST, message: 'A2A takes one request at a time, not a batch' })
  if (!isRecord(body)) return refused({ code: INVALID_REQUEST, message: 'The request must be a JSON object' })
  return answerRequest(body, exchange, await loadSdk())
}

const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600

type Rpc = Readonly<Record<string, unknown>>

async function answerRequest(request: Rpc, exchange: A2aExchange, sdk: Sdk): Promise<A2aAnswer> {
  const version = protocolVersion(exchange.version, request['method'])
  const errors = new RpcErrors(sdk, { request, version })
  if (request['jsonrpc'] !== '2.0')
    return errors.told({ code: INVALID_REQUEST, message: 'jsonrpc: Must be "2.0"' })
  if (version === undefined) {
    const message = `A2A ${exchange.version} is not spoken here; send the header A2A-Version: 1.0 or 0.3`
    return errors.of(new sdk.errors.VersionNotSupportedError(message))
  }
  try {
    await checkParams({ method: request['method'], params: request['params'] }, version)
  } catch (error) {
    if (error instanceof AppError) return errors.of(new sdk.errors.RequestMalformedError(error.message))
    throw error
  }
  const handler = protocolHandler({ ...exchange, sdk }, exchange)
  const transport =
    version === '1.0'
      ? new sdk.server.JsonRpcTransportHandler(handler)
      : new sdk.legacy.LegacyJsonRpcTransportHandler(handler)
  const context = new sdk.server.ServerCallContext({ requestedVersion: version })
  const result = await transport.handle({ ...request }, context)
  return isStream(result) ? streamed(result, errors) : { kind: 'message', status: 200, message: result }
}

/** A stream that fails before its first message was none. */
async function streamed(stream: AsyncGenerator<object>, errors: RpcErrors): Promise<A2aAnswer> {
  try {
    const first = await stream.next()
    return { kind: 'stream', messages: rest(first, stream, errors) }
  } catch (error) {
    return errors.of(error)
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
    yield errors.message(error)
  } finally {
    await stream.return(undefined)
  }
}

interface RpcError {
  readonly code: number
  readonly message: string
}

function refused(error: RpcError): A2aAnswer {
  return { kind: 'message', status: 400, message: { jsonrpc: '2.0', id: null, error } }
}

/** Error responses to one request, in the form of its version. */
class RpcErrors {
  readonly #sdk: Sdk
  readonly #id: string | number | null
  readonly #version: ProtocolVersion | undefined

  constructor(sdk: Sdk, { request, version }: { request: Rpc; version: ProtocolVersion | undefined }) {
    const { id } = request
    this.#sdk = sdk
    this.#id = typeof id === 'string' || Number.isInteger(id) ? (id as string | number) : null
    this.#version = version
  }

  told(error: RpcError): A2aAnswer {
    return { kind: 'message', status: 200, message: { jsonrpc: '2.0', id: this.#id, error } }
  }

  of(error: unknown): A2aAnswer {
    return { kind: 'message', status: 200, message: this.message(error) }
  }

  message(error: unknown): object {
    const { server, legacy } = this.#sdk
    const told =
      this.#version === '0.3'
        ? legacy.LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(error)
        : server.JsonRpcTransportHandler.mapToJSONRPCError(error)
    return { jsonrpc: '2.0', id: this.#id, error: told }
  }
}

function isRecord(value: unknown): value is Rpc {
  return typeof value === 'object' && value !== null
}

function isStream(value: object): value is AsyncGenerator<object> {
  return Symbol.asyncIterator in value
}
