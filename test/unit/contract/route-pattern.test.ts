import { describe, expect, it } from 'vitest'
import { patternProblem, routeMatcher } from '../../../src/contract/route-pattern.ts'

describe('routeMatcher', () => {
  it.each([
    ['GET /shop', ['GET /shop', 'HEAD /shop'], ['POST /shop', 'GET /shop/', 'GET /shopping']],
    ['get /shop', ['GET /shop'], ['POST /shop']],
    ['/shop', ['GET /shop', 'POST /shop'], ['GET /Shop']],
    ['HEAD /shop', ['HEAD /shop'], ['GET /shop']],
    ['/shop/:item', ['GET /shop/mug'], ['GET /shop', 'GET /shop/', 'GET /shop/mug/reviews']],
    ['/shop/*', ['GET /shop', 'GET /shop/mug/reviews'], ['GET /shopping']],
    ['WS /ws/**', ['WS /ws', 'WS /ws/logs'], ['GET /ws']],
    ['/*', ['GET /', 'GET /shop'], []],
    ['/shop.', ['GET /shop.'], ['GET /shopX']],
  ])('%s matches exactly its routes', (pattern, matching, others) => {
    const matches = routeMatcher([pattern])
    const of = (route: string) => {
      const [method = '', path = ''] = route.split(' ')
      return matches({ method, path })
    }
    expect(matching.filter((route) => !of(route))).toEqual([])
    expect(others.filter(of)).toEqual([])
  })

  it('matches nothing without patterns', () => {
    expect(routeMatcher([])({ method: 'GET', path: '/' })).toBe(false)
  })
})

describe('patternProblem', () => {
  it.each(['/', '/shop', 'GET /shop/:item', 'ws /rooms/**', '/shop/*'])('accepts %s', (pattern) => {
    expect(patternProblem(pattern)).toBeUndefined()
  })

  it.each([
    [7, 'must be a string'],
    ['FETCH /shop', '"FETCH" is not a supported method'],
    ['shop', 'must start with "/"'],
    ['/a?x=1', 'must not contain a query'],
    ['/a b', 'must not contain'],
    ['/a/*/b', 'must be the whole last segment'],
    ['/a*', 'must be the whole last segment'],
    ['/a//b', 'empty segments'],
    ['/:', 'a parameter must be'],
    ['/:a-b', 'a parameter must be'],
  ])('refuses %j', (pattern, problem) => {
    expect(patternProblem(pattern)).toContain(problem)
  })
})
