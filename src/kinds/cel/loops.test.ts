import { expect, test } from 'vitest'
import { compileCel } from './compile.ts'
import { dynamic, environmentOf } from './environment.ts'
import { loopDepth } from './loops.ts'

test.each([
  ['a + 1 == 2', 0],
  ['[a.all(x, x > 1)]', 1],
  ['a.filter(x, x > 1).map(x, x + 1).exists(x, x == 3)', 1],
  ['a.all(x, a.exists(y, x == y))', 2],
  ['a.map(x, a.filter(y, a.exists_one(z, z == y)))', 3],
  ['has(a.b) && a.all(x, true) ? a.exists(y, false) : false', 1],
])('%s goes %i deep', (expression, depth) => {
  const compiled = compileCel(expression, environmentOf(dynamic('a')))
  expect(compiled.ok ? loopDepth(compiled.program.tree) : compiled.faults).toBe(depth)
})
