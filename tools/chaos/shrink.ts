import type { Fault, Plan, Round } from './plan.ts'

/** Plays a plan, and returns whether something did not hold. */
type Fails = (plan: Plan) => Promise<boolean>

/**
 * The shortest part of a failing plan that still fails: without rounds, and without faults that a process survives, that
 * do not matter. Each step halves what is left out at once (delta debugging).
 */
export async function shrink(plan: Plan, fails: Fails): Promise<Plan> {
  const rounds = await shortest(
    plan.rounds,
    async (some) => some.length > 0 && fails({ ...plan, rounds: some }),
  )
  const disturbances = rounds.flatMap(({ faults }) => faults.slice(0, -1))
  const withOnly = (kept: readonly Fault[]): Plan => ({
    ...plan,
    rounds: rounds.map((one) => only(one, kept)),
  })
  return withOnly(await shortest(disturbances, (some) => fails(withOnly(some))))
}

/** A round with some of its faults, and the one that ends it. */
function only(round: Round, kept: readonly Fault[]): Round {
  const { faults } = round
  return {
    ...round,
    faults: faults.filter((fault, index) => index === faults.length - 1 || kept.includes(fault)),
  }
}

/** A part of a failing list of which no item can be left out. */
async function shortest<T>(
  list: readonly T[],
  fails: (some: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let left = list
  for (let size = Math.ceil(left.length / 2); size > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < left.length;) {
      const shorter = [...left.slice(0, at), ...left.slice(at + size)]
      if (await fails(shorter)) left = shorter
      else at += size
    }
  }
  return left
}
