/** How the answer of a run is returned: at its end, or as the stream of a road; `nested` to a step or an agent. */
export type Road = 'text' | 'object' | 'stream' | 'stream-object' | 'chat' | 'nested'
