import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openAuditFile } from './audit-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'homeostat-audit-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('appends lines, for its owner alone', async () => {
  const path = join(folder, 'audit.log')
  for (const line of ['one', 'two']) {
    const file = await openAuditFile(path, () => {})
    file.write(line)
    file.write(`${line} more`)
    await file.close()
  }
  expect(readFileSync(path, 'utf8')).toBe('one\none more\ntwo\ntwo more\n')
  expect(statSync(path).mode & 0o077).toBe(0)
})

it('says why a file cannot be opened, and what to do', async () => {
  await expect(openAuditFile(join(folder, 'no', 'audit.log'), () => {})).rejects.toThrow(
    `--audit-log: cannot write ${folder}/no/audit.log: its folder does not exist; choose another file`,
  )
  await expect(openAuditFile(folder, () => {})).rejects.toThrow('it is a folder; choose another file')
})

it.skipIf(!existsSync('/dev/full'))('says once that the disk is full', async () => {
  const told: string[] = []
  const file = await openAuditFile('/dev/full', (line) => told.push(line))
  for (let i = 0; i < 5; i += 1) {
    file.write('a line')
    await new Promise(setImmediate)
  }
  await file.close()
  expect(told).toEqual([
    'the audit log /dev/full cannot be written: no space left on the disk; events are lost until it can',
  ])
})
