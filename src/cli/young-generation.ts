import { setFlagsFromString } from 'node:v8'

/**
 * Start-up leaves much garbage behind. V8 would answer with a larger young generation, some 12 MB that a server
 * which then idles keeps for nothing.
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** From now on it may grow with the work, as V8 does by itself. */
export function letYoungGenerationGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2')
}
