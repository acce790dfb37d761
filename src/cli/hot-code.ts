import { setFlagsFromString } from 'node:v8'

/**
 * Loading a command runs much code a few times. V8 would optimise some of it, which takes 5 MB that a server then
 * keeps for nothing.
 */
export function leaveHotCode(): void {
  setFlagsFromString('--no-turbofan')
}

/** From now on code that runs often is optimised, as V8 does by itself. */
export function optimizeHotCode(): void {
  setFlagsFromString('--turbofan')
}
