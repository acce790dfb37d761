import { z } from 'zod'
import { JsonObject } from './fields.ts'

const message = {
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]).describe('Id of the request; null when it is unknown'),
}

/** A successful JSON-RPC response. The protocol defines the result of each method. */
export const JsonRpcResult = z
  .looseObject({ ...message, result: JsonObject.describe('Result of the method') })
  .meta({ id: 'JsonRpcResult' })

/** A JSON-RPC response to a request that failed. */
export const JsonRpcError = z
  .looseObject({
    ...message,
    error: z.looseObject({
      code: z.int().describe('Code of JSON-RPC or of the protocol'),
      message: z.string(),
    }),
  })
  .meta({ id: 'JsonRpcError' })
