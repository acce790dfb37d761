import type { Access } from '../../contract/endpoint.ts'
import type { EndpointKey } from '../../contract/index.ts'
import type { Shape } from './fill-missing.ts'

type Entry = readonly [
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  access: Access,
  reply: 'data' | 'events' | 'document' | 'protocol',
]

/** Defined by the build from the contract, so that the bundle contains no schemas. */
declare const ENDPOINT_TABLE: Readonly<Record<EndpointKey, Entry>>
declare const ANSWER_SHAPES: Readonly<Partial<Record<EndpointKey, Shape>>>
declare const CHANNEL_TABLE: Readonly<Record<'console', string>>

/** Method, path, access class and kind of reply of an endpoint. */
export function endpointOf(key: EndpointKey) {
  const [method, path, access, reply] = ENDPOINT_TABLE[key]
  return { method, path, access, reply }
}

/** What a screen reads of an endpoint's data. */
export function shapeOf(key: EndpointKey): Shape | undefined {
  return ANSWER_SHAPES[key]
}

/** Paths of the server's WebSocket channels. */
export function channelPath(name: 'console'): string {
  return CHANNEL_TABLE[name]
}
