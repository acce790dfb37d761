// Loaded before a server with `--import`: answers each message of the parent process with what the server holds.
import { EventEmitter, getEventListeners } from 'node:events'
import { readdirSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import { getHeapCodeStatistics } from 'node:v8'
import { isMainThread } from 'node:worker_threads'

/** How often the server looks for expired records, and how often it does so here: a soak of minutes is to see it. */
const RETENTION_MS = 600_000
const SHORT_RETENTION_MS = 10_000

/** Period of the timer whose lateness is measured. It is a part of what the histogram has. */
const RESOLUTION_MS = 10

/** Objects that were created since the start, and that no collection has freed. */
class Living {
  #references = new Set()

  add(object) {
    this.#references.add(new WeakRef(object))
    return object
  }

  all() {
    const living = []
    for (const reference of this.#references) {
      const object = reference.deref()
      if (object) living.push(object)
      else this.#references.delete(reference)
    }
    return living
  }
}

/** Counts emitters, abort signals and timers by a reference to each that keeps none of them. */
function observe() {
  const emitters = new Living()
  const { init } = EventEmitter
  EventEmitter.init = function initCounted(...args) {
    emitters.add(this)
    return init.apply(this, args)
  }
  emitters.add(process)

  const signals = new Living()
  const { AbortController, AbortSignal } = globalThis
  globalThis.AbortController = class extends AbortController {
    constructor() {
      super()
      signals.add(this.signal)
    }
  }
  for (const name of ['any', 'timeout']) {
    const create = AbortSignal[name].bind(AbortSignal)
    AbortSignal[name] = (...args) => signals.add(create(...args))
  }

  const timers = new Living()
  const { setInterval, setTimeout } = globalThis
  globalThis.setTimeout = Object.assign((...args) => timers.add(setTimeout(...args)), setTimeout)
  globalThis.setInterval = (callback, ms, ...args) =>
    timers.add(setInterval(callback, ms === RETENTION_MS ? SHORT_RETENTION_MS : ms, ...args))
  return { emitters, signals, timers }
}

function listenersOf(emitters, signals) {
  const ofEmitter = (emitter) =>
    emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0)
  const ofSignal = (signal) => getEventListeners(signal, 'abort').length
  return [...emitters.map(ofEmitter), ...signals.map(ofSignal)].reduce((sum, count) => sum + count, 0)
}

if (isMainThread) {
  const observed = observe()
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  const answer = async () => {
    const delayMs = Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS)
    const kinds = {}
    for (const kind of process.getActiveResourcesInfo()) kinds[kind] = (kinds[kind] ?? 0) + 1
    globalThis.gc()
    // what has ended with that is freed by the next collection
    await turn()
    globalThis.gc()
    const { heapUsed, external, rss } = process.memoryUsage()
    const code = getHeapCodeStatistics()
    const codeBytes = code.code_and_metadata_size + code.bytecode_and_metadata_size
    const [emitters, signals, timers] = [
      observed.emitters.all(),
      observed.signals.all(),
      observed.timers.all(),
    ]
    process.send({
      heap: (heapUsed - codeBytes) / 2 ** 20,
      code: codeBytes / 2 ** 20,
      external: external / 2 ** 20,
      rss: rss / 2 ** 20,
      descriptors: readdirSync('/proc/self/fd').length,
      // a field of Node.js that says that it was cleared, or has fired
      timers: timers.filter(({ _destroyed }) => !_destroyed).length,
      emitters: emitters.length,
      signals: signals.length,
      listeners: listenersOf(emitters, signals),
      delay: delayMs,
      kinds,
    })
    // the pause of the collections is not the server's
    setImmediate(() => delay.reset())
  }
  process.on('message', () => void answer())
  // the harness has ended, however it did
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel.unref()
}
