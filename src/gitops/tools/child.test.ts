// What a program says of its failure, as it is told.

import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { runChild } from './child.ts'

it('the same fault has the same words every time: stamps of the log are no part of them', async () => {
  const said = 'E1130 18:06:56.858358   16632 run.go:72] "command failed" err="no such file"'
  const running = runChild({
    command: '/bin/sh',
    arguments: ['-c', `echo '${said}' >&2; echo 'at E1130 18:06' >&2; exit 1`],
    directory: tmpdir(),
    environment: {},
    limits: { timeoutMs: 10_000, outputBytes: 1000, memoryBytes: 0 },
    input: undefined,
  })
  await expect(running).rejects.toMatchObject({ message: '"command failed" err="no such file"\nat E1130 18:06' })
})
