// Loaded before a server with `--import`: answers each message of the parent process with what the process has used.
import { createHook } from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'

let promises = 0
if (process.env.BENCH_PROMISES)
  createHook({
    init(_id, type) {
      if (type === 'PROMISE') promises++
    },
  }).enable()

// its timer costs processor time
const loop = process.env.BENCH_LOOP ? monitorEventLoopDelay({ resolution: 5 }) : undefined
loop?.enable()

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send({
    cpuUs: user + system,
    heapBytes: getHeapStatistics().used_heap_size,
    promises,
    writtenBytes: Number(/wchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))[1]),
    longestTickMs: (loop?.max ?? 0) / 1e6,
  })
  loop?.reset()
})
process.channel.unref()
