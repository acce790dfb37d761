import type { ProtocolVersion } from './protocol-version.ts'
import type { RpcRequest } from './check-request.ts'
import type { Sdk } from './sdk.ts'

export interface RpcError {
  readonly code: number
  readonly message: string
}

/** Codes of JSON-RPC 2.0, section 5.1. */
export const RPC_CODE = { parse: -32700, request: -32600, method: -32601 } as const

/** Creates the error responses to a request, in the format of its protocol version. */
export class RpcErrors {
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
