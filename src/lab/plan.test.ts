import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { planOf } from './plan.ts'
import { parseWords } from './words.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'homeostat-plan-'))
  const head = 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n'
  writeFileSync(join(folder, 'good.yaml'), `${head}profiles: [{schedulerName: packer}]`)
  writeFileSync(join(folder, 'bad.yaml'), `${head}profiles: {}`)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const plan = (text: string) => planOf(parseWords(text), { repository: false, folder })

describe('the plan of a lab', () => {
  it('takes profiles of the scheduler from a file beside the scenario', () => {
    expect(plan('cluster nodes=2 scheduler=good.yaml').scheduler?.profiles?.map((one) => one.schedulerName)).toEqual([
      'packer',
    ])
    expect(plan('cluster nodes=2').scheduler).toBeUndefined()
  })

  it.each([
    ['bad.yaml', 'bad.yaml:3: profiles must be a list'],
    ['absent.yaml', 'scheduler=absent.yaml: ENOENT'],
  ])('says what is wrong with %s', (file, message) => {
    expect(() => plan(`cluster scheduler=${file}`)).toThrow(message)
  })
})
