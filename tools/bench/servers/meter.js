// Loaded before a server with `--import`: answers each message of the parent process with what the process has used.
import { createHook } from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import { getHeapStatistics } from 'node:v8'

let promises = 0
if (process.env.BENCH_PROMISES)
  createHook({
    init(_id, type) {
      if (type === 'PROMISE') promises++
    },
  }).enable()

const TICK_MS = 5
let lastTick = performance.now()
let longestTickMs = 0
function tick() {
  longestTickMs = Math.max(longestTickMs, performance.now() - lastTick - TICK_MS)
  lastTick = performance.now()
}
// the timer costs processor time
if (process.env.BENCH_LOOP) setInterval(tick, TICK_MS).unref()

process.on('message', answer)

function answer() {
  if (process.env.BENCH_LOOP) tick()
  const { user, system } = process.cpuUsage()
  process.send({
    cpuUs: user + system,
    heapBytes: getHeapStatistics().used_heap_size,
    promises,
    writtenBytes: Number(/wchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))[1]),
    longestTickMs,
  })
  longestTickMs = 0
}
process.channel.unref()
