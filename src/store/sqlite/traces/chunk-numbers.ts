/** Chunk numbers per trace: a chunk's number is the trace's number multiplied by this, plus its index. */
const CHUNKS_PER_TRACE = 1_048_576

/** The number of the first chunk of a trace. */
export function firstChunk(trace: number): number {
  return trace * CHUNKS_PER_TRACE
}

export function traceOfChunk(number: number): number {
  return Math.floor(number / CHUNKS_PER_TRACE)
}
