import { describe, expect, it } from 'vitest'
import { readScript } from './script.ts'

describe('a script', () => {
  it.each<[string, number | undefined]>([
    ['exit 1', 1],
    ['echo x && sleep 5; exit 3', 3],
    ['echo a; false', 1],
    ['false; echo a', 0],
    ['nope --now', 127],
    ['/no/such/file || exit 3', 3],
    ['nope; echo go on', 0],
    ['if true; then exit 5; fi', 5],
    ['if [ $n -lt 3 ]; then\n  echo bad\n  exit 1\nfi\necho good', undefined],
    ['if [ -z "$A" ]; then echo no A; exit 1; fi; exec /app/server', undefined],
    ['wget -q http://x || exit 1; echo done', undefined],
    ['false || exit 4', 4],
    ['for i in 1 2 3; do nc -z db 5432 && exit 0; sleep 2; done; exit 1', 0],
    ['if nc -z db 5432; then exit 0; fi; exit 1', 0],
    ['die() { echo "$1"; exit 2; }\nmake all || die no', undefined],
    ['die() { exit 2; }; exit 6', 6],
  ])('%j ends with %s', (text, exitCode) => {
    expect(readScript(text).exitCode).toBe(exitCode)
  })

  it('says what it surely says, after as long as it surely takes', () => {
    expect(readScript('echo a; sleep 2; if [ -f /x ]; then echo b; sleep 9; fi; echo c')).toMatchObject({
      seconds: 2,
      output: 'a\nc\n',
    })
  })
})
